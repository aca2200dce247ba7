"""The events of Antigravity CLI that kg listens to.

``PreInvocation`` comes before every call of the model and carries whatever waits for it. ``PostToolUse`` can only say
what a tool did. There is no event for a prompt and none for a compaction: both stand in the transcript alone.
``PreToolUse`` is left out for good: there, an empty reply refuses the tool.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Carrier, EventKind, EventSpec, ToolKind

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_TOOLS: Final[Mapping[str, ToolKind]] = MappingProxyType(
    {
        "view_file": ToolKind.READ,
        "read_file": ToolKind.READ,  # the name of later versions
        "write_to_file": ToolKind.EDIT,
        "replace_file_content": ToolKind.EDIT,
        "multi_replace_file_content": ToolKind.EDIT,
        "run_command": ToolKind.SHELL,
    }
)
"""The native tools that touch files, under all names that versions gave them."""

CARRYING: Final = "PreInvocation"
"""The event that brings what waits."""

EVENTS: Final[tuple[EventSpec, ...]] = (
    # Once in a conversation, of a subagent too; not when it is resumed.
    EventSpec(native="SessionStart", kind=EventKind.SESSION_START, carrier=Carrier.HOOK_CLIENT, timeout=8),
    EventSpec(native=CARRYING, kind=EventKind.PROMPT, carrier=Carrier.HOOK_CLIENT, timeout=5),
    EventSpec(
        native="PostToolUse",
        kind=EventKind.AFTER_TOOL,
        carrier=Carrier.HOOK_CLIENT,
        timeout=5,
        matcher="|".join(FILE_TOOLS),
        injects=False,
        delivered_by=CARRYING,
    ),
)
