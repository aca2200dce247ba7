"""The events of Claude Code that kg listens to, and what each of them sends.

A compaction arrives as ``SessionStart`` with the source ``compact``. In an MCP-tool hook every value of a template
arrives as a string, and a field that the event lacks as an empty one.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_harness_claude.names import TOOL_PREFIX
from kg_plugin_api import Carrier, EventKind, EventSpec, ToolKind

if TYPE_CHECKING:
    from collections.abc import Mapping

START_PARTS: Final = 5
"""So many hooks together hold two full levels of memory; the client limits each of them and not their sum."""

FILE_TOOLS: Final[Mapping[str, ToolKind]] = MappingProxyType(
    {
        "Read": ToolKind.READ,
        "Grep": ToolKind.READ,
        "Edit": ToolKind.EDIT,
        "MultiEdit": ToolKind.EDIT,
        "Write": ToolKind.EDIT,
        "NotebookEdit": ToolKind.EDIT,
        "Bash": ToolKind.SHELL,
    },
)
"""The native tools that touch files. The matcher names these alone, since every hook costs the user time. ``Grep`` may
name a file; builds that leave searching to the shell do not have it.
"""

_USE: Final = MappingProxyType(
    {
        "tool_name": "${tool_name}",
        "tool_use_id": "${tool_use_id}",
        "tool_input": {
            "file_path": "${tool_input.file_path}",
            "notebook_path": "${tool_input.notebook_path}",
            "path": "${tool_input.path}",
            "command": "${tool_input.command}",
        },
    },
)
_EDITS: Final = tuple(name for name, kind in FILE_TOOLS.items() if kind is ToolKind.EDIT)

_CONTEXT: Final = MappingProxyType(
    {
        "session_id": "${session_id}",
        "cwd": "${cwd}",
        "transcript_path": "${transcript_path}",
        "agent_id": "${agent_id}",
        "agent_type": "${agent_type}",
    },
)


def _template(**fields: object) -> Mapping[str, object]:
    return MappingProxyType({**_CONTEXT, **fields})


EVENTS: Final[tuple[EventSpec, ...]] = (
    # The client has no MCP connection yet when a session starts. No matcher: a source that is new also counts.
    EventSpec(
        native="SessionStart",
        kind=EventKind.SESSION_START,
        carrier=Carrier.HOOK_CLIENT,
        timeout=5,
        parts=START_PARTS,
    ),
    EventSpec(
        native="UserPromptSubmit",
        kind=EventKind.PROMPT,
        carrier=Carrier.MCP_HOOK,
        timeout=3,
        template=_template(prompt="${prompt}"),
    ),
    # Binds the call that follows to its session and subagent, and can refuse an edit. Its text would come only after
    # the tool has run.
    EventSpec(
        native="PreToolUse",
        kind=EventKind.BEFORE_TOOL,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        matcher=f"^(?:{TOOL_PREFIX}.*|{'|'.join(_EDITS)})$",
        template=_template(
            tool_name="${tool_name}",
            tool_use_id="${tool_use_id}",
            tool_input={"file_path": "${tool_input.file_path}", "notebook_path": "${tool_input.notebook_path}"},
        ),
        injects=False,
    ),
    EventSpec(
        native="PostToolUse",
        kind=EventKind.AFTER_TOOL,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        matcher="|".join(FILE_TOOLS),
        template=_template(**_USE),
    ),
    # What a file or a command is known for matters most when it has just failed.
    EventSpec(
        native="PostToolUseFailure",
        kind=EventKind.AFTER_TOOL,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        matcher="|".join(FILE_TOOLS),
        template=_template(**_USE, is_interrupt="${is_interrupt}"),
    ),
    EventSpec(
        native="SubagentStart",
        kind=EventKind.SUBAGENT_START,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        template=_template(),
    ),
    EventSpec(
        native="SubagentStop",
        kind=EventKind.SUBAGENT_STOP,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        template=_template(),
        injects=False,
    ),
    # The client calls no MCP tool any more. Without a timeout it waits for 1.5 s.
    EventSpec(native="SessionEnd", kind=EventKind.SESSION_END, carrier=Carrier.HOOK_CLIENT, timeout=2, injects=False),
)
