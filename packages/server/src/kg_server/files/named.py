"""The files that a tool names, as they are written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kg_core.policy import shell_files
from kg_plugin_api import ToolKind

if TYPE_CHECKING:
    from kg_plugin_api import ToolUse


class Named(NamedTuple):
    """A file: absolute, from ``~`` on, or relative to the folder in which the tool ran. ``is_read_off`` tells that it
    stands in a command, so that it may be none after all.
    """

    path: str
    is_read_off: bool = False


def named(tool: ToolUse) -> tuple[Named, ...]:
    """The files that a tool names as such, and those that its command reads or edits; none for kg's own tools."""
    if tool.kind not in {ToolKind.READ, ToolKind.EDIT, ToolKind.SHELL}:
        return ()
    found = [Named(path) for path in tool.paths]
    if tool.kind is ToolKind.SHELL:
        found += [Named(file.path, is_read_off=True) for file in shell_files(tool.command)]
    return tuple(dict.fromkeys(found))
