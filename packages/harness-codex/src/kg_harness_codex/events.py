"""The events of Codex that kg listens to, and what each of them sends.

A compaction arrives as ``SessionStart`` with the source ``compact``. In an MCP-tool hook one absent field fails the
whole hook without a word, so a template names only fields that are always there; ``agent_id`` is not one of them
outside ``SubagentStart``, and the thread id in the call's ``_meta`` tells the subagent instead.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Carrier, EventKind, EventSpec, ToolKind

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_TOOLS: Final[Mapping[str, ToolKind]] = MappingProxyType({"Bash": ToolKind.SHELL, "apply_patch": ToolKind.EDIT})
"""The native tools that touch files; Codex has no tool that reads one."""
_EDITS: Final = tuple(name for name, kind in FILE_TOOLS.items() if kind is ToolKind.EDIT)


START_PARTS: Final = 5
"""So many hooks together hold two full levels of memory; the client limits each of them and not their sum."""


def _template(*fields: str) -> Mapping[str, object]:
    names = ("session_id", "cwd", "transcript_path", "model", *fields)
    return MappingProxyType({name: f"${{{name}}}" for name in names})


EVENTS: Final[tuple[EventSpec, ...]] = (
    # No matcher: a source that a later version invents also starts a session. The client waits for our MCP server.
    EventSpec(
        native="SessionStart",
        kind=EventKind.SESSION_START,
        carrier=Carrier.MCP_HOOK,
        timeout=5,
        template=_template("source"),
        parts=START_PARTS,
    ),
    EventSpec(
        native="UserPromptSubmit",
        kind=EventKind.PROMPT,
        carrier=Carrier.MCP_HOOK,
        timeout=3,
        template=_template("prompt"),
    ),
    # Can refuse an edit. Its text would come only after the tool has run.
    EventSpec(
        native="PreToolUse",
        kind=EventKind.BEFORE_TOOL,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        matcher="|".join(_EDITS),
        template=_template("tool_name", "tool_use_id", "tool_input"),
        injects=False,
    ),
    EventSpec(
        native="PostToolUse",
        kind=EventKind.AFTER_TOOL,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        matcher="|".join(FILE_TOOLS),
        template=_template("tool_name", "tool_use_id", "tool_input"),
    ),
    EventSpec(
        native="SubagentStart",
        kind=EventKind.SUBAGENT_START,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        template=_template("agent_id", "agent_type"),
    ),
    EventSpec(
        native="SubagentStop",
        kind=EventKind.SUBAGENT_STOP,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        template=_template("agent_id", "agent_type"),
        injects=False,
    ),
)
