"""The names under which Claude Code knows kg."""

from typing import Final

PLUGIN: Final = "kg"
MARKETPLACE: Final = "kg"
SERVER: Final = "kg"

PLUGIN_ID: Final = f"{PLUGIN}@{MARKETPLACE}"
"""The key of the plug-in in the client's settings."""

HOOK_SERVER: Final = f"plugin:{PLUGIN}:{SERVER}"
"""How a plug-in's own hooks name its MCP server; the shorter forms are not found."""

PERMISSION: Final = f"mcp__plugin_{PLUGIN}_{SERVER}"
"""The allow rule for every tool of the server."""

TOOL_PREFIX: Final = f"{PERMISSION}__"
"""What stands before a tool's name in what the model sees."""
