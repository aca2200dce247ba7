"""The events of Copilot CLI that kg listens to.

The client has no hook that calls an MCP tool: every event costs a process, so the matchers are narrow. It matches a
pattern against the whole name.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_harness_copilot.names import OWN_TOOLS
from kg_plugin_api import Carrier, EventKind, EventSpec, ToolKind

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_TOOLS: Final[Mapping[str, ToolKind]] = MappingProxyType(
    {
        "view": ToolKind.READ,
        "grep": ToolKind.READ,
        "rg": ToolKind.READ,
        "edit": ToolKind.EDIT,
        "create": ToolKind.EDIT,
        "apply_patch": ToolKind.EDIT,
        "bash": ToolKind.SHELL,
    },
)
"""The native tools that touch files. Models of OpenAI get ``apply_patch`` and ``rg`` for ``edit``, ``create`` and
``grep``.
"""

BEFORE_OWN_CALL: Final = "preMcpToolCall"
"""The event whose reply decides the ``_meta`` of the MCP call that follows."""

_EDITS: Final = tuple(name for name, kind in FILE_TOOLS.items() if kind is ToolKind.EDIT)

EVENTS: Final[tuple[EventSpec, ...]] = (
    EventSpec(native="sessionStart", kind=EventKind.SESSION_START, carrier=Carrier.HOOK_CLIENT, timeout=5),
    EventSpec(native="userPromptSubmitted", kind=EventKind.PROMPT, carrier=Carrier.HOOK_CLIENT, timeout=3),
    # Can refuse an edit. Its text would come only after the tool has run.
    EventSpec(
        native="preToolUse",
        kind=EventKind.BEFORE_TOOL,
        carrier=Carrier.HOOK_CLIENT,
        timeout=2,
        matcher="|".join(_EDITS),
        injects=False,
    ),
    EventSpec(
        native=BEFORE_OWN_CALL,
        kind=EventKind.BEFORE_TOOL,
        carrier=Carrier.HOOK_CLIENT,
        timeout=2,
        matcher=OWN_TOOLS,
        injects=False,
    ),
    EventSpec(
        native="postToolUse",
        kind=EventKind.AFTER_TOOL,
        carrier=Carrier.HOOK_CLIENT,
        timeout=2,
        matcher="|".join(FILE_TOOLS),
    ),
    # Tells that the text of the session start is about to go. No session start follows; the next event brings it anew.
    EventSpec(
        native="preCompact",
        kind=EventKind.COMPACT,
        carrier=Carrier.HOOK_CLIENT,
        timeout=2,
        injects=False,
        delivered_by="userPromptSubmitted",
    ),
    EventSpec(native="subagentStart", kind=EventKind.SUBAGENT_START, carrier=Carrier.HOOK_CLIENT, timeout=2),
)
