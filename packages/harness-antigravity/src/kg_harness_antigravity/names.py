"""The names under which Antigravity CLI knows kg."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from kg_plugin_api import Site

PLUGIN: Final = "kg"
SERVER: Final = "memory"

CLIENT_SERVER: Final = f"{PLUGIN}_{SERVER}"
"""What the client calls a plug-in's MCP server, in permissions and in the names of its tools."""

TOOL_PREFIX: Final = f"mcp_{CLIENT_SERVER}_"
"""What stands before the name of an eager tool in what the model sees."""

ASKED_TOOLS: Final = ("kg_delete_node", "kg_delete_edge")
"""Tools of which the client goes on asking the person."""

TOOLS: Final = (
    "kg_read",
    "kg_search",
    "kg_put_node",
    "kg_put_edge",
    "kg_rename_node",
    *ASKED_TOOLS,
    "kg_useful",
    "kg_sync",
    "kg_progress",
    "kg_rules",
)
"""Every tool of kg: the client has no setting for all tools of one server."""


def installed(site: Site) -> Path:
    """Where the client keeps its copy of our plug-in: beside the settings of the command line."""
    return site.config.parent / "config" / "plugins" / PLUGIN
