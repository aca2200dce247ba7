"""The names under which Copilot CLI knows kg."""

from typing import Final

SERVER: Final = "kg"
"""The MCP server's key in ``mcp-config.json``, and the name of our file of hooks."""

TOOL_PREFIX: Final = f"{SERVER}-"
"""What stands before a tool's name in hooks and in what the model sees."""

OWN_TOOLS: Final = f"{SERVER}/kg_.*"
"""Matches our tools where the client names server and tool with a slash between: before a call, and for permission."""

META_SESSION: Final = "kg/session"
META_AGENT: Final = "kg/agent"
"""The keys in a call's ``_meta`` that a hook of ours puts there, since the client itself names no session."""
