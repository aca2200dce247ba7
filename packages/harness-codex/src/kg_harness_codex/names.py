"""The names under which Codex knows kg."""

from typing import Final

PLUGIN: Final = "kg"
MARKETPLACE: Final = "kg"
SERVER: Final = "kg"

PLUGIN_ID: Final = f"{PLUGIN}@{MARKETPLACE}"
"""The key of the plug-in in ``config.toml``, and the start of the keys of its hooks' trust."""

VERSION: Final = "1.0.0"
"""The version of the plug-in folder's shape, and the name of its folder in the client's cache.

Not kg's version: the client's trust in our hooks covers every byte of the folder, so an upgrade that changes no hook
must change no file.
"""

SKILLS: Final = "kg-skills"
"""The plug-in that holds the skills. One of its own, so that a change to a text leaves the trust in our hooks alone."""

SKILLS_ID: Final = f"{SKILLS}@{MARKETPLACE}"
"""Its key in ``config.toml``."""

TOOL_PREFIX: Final = f"mcp__{SERVER}__"
"""What stands before a tool's name in hooks and in what the model sees."""

TOOLS: Final = (
    "kg_read",
    "kg_search",
    "kg_put_node",
    "kg_put_edge",
    "kg_rename_node",
    "kg_delete_node",
    "kg_delete_edge",
    "kg_useful",
    "kg_sync",
    "kg_progress",
    "kg_rules",
)
"""The tools whose results get a limit of their own; the client has no setting for all tools of one server."""
