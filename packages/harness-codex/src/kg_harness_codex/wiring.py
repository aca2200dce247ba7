"""What Codex must find on disk: a plug-in, installed as the client itself would do it, and what only a person may do.

The client copies a plug-in from its marketplace into a cache below its own folder and reads it there. The same files
and the same two tables, stated as claims, are an installed plug-in, which the client lists and removes as its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_harness_codex.events import EVENTS
from kg_harness_codex.folders import as_json, copied
from kg_harness_codex.names import MARKETPLACE, PLUGIN, PLUGIN_ID, SERVER, SKILLS, TOOLS, VERSION
from kg_harness_codex.trust import TrustStep
from kg_plugin_api import Offer, OwnedFile, TomlEntry, TomlTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kg_plugin_api import Claim, EventSpec, Launch, Site, Step

_DESCRIPTION: Final = "One local memory for all coding agents on this machine."
_RESULT_TOKENS: Final = 12_000
"""Lets a result of 36,000 bytes pass whole with any model; the client counts four bytes a token and adds a fifth."""


class CodexWiring:
    """An installed plug-in with the MCP server and its hooks, so that the keys of the hooks' trust are ours alone."""

    def claims(self, site: Site) -> Sequence[Claim]:
        """The marketplace in our own folder, the installed copy, and the two tables that name them."""
        settings = site.config / "config.toml"
        return (
            OwnedFile(path=site.own / ".agents" / "plugins" / "marketplace.json", text=as_json(_marketplace())),
            *copied(_plugin(site.launch), PLUGIN, site),
            TomlTable(
                path=settings,
                keys=("marketplaces", MARKETPLACE),
                values={"source_type": "local", "source": str(site.own)},
            ),
            TomlTable(path=settings, keys=("plugins", PLUGIN_ID), values={"enabled": True}),
        )

    def steps(self, site: Site) -> Sequence[Step]:
        """The trust without which the client skips a hook silently."""
        return (TrustStep(),)

    def offers(self, site: Site) -> Sequence[Offer]:
        """Switching off the client's own memory, so that one lesson is not kept in two places."""
        settings: Path = site.config / "config.toml"
        switch = TomlEntry(path=settings, keys=("features", "memories"), value=False, replace=True)
        return (
            Offer(
                name="memories-off",
                question="Codex can keep a memory of its own beside kg. Keep that one off?",
                claims=(switch,),
            ),
        )


def _marketplace() -> dict[str, object]:
    plugins = [
        {
            "name": name,
            "source": {"source": "local", "path": f"./plugins/{name}"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Productivity",
        }
        for name in (PLUGIN, SKILLS)
    ]
    return {"name": MARKETPLACE, "plugins": plugins}


def _plugin(launch: Launch) -> dict[str, str]:
    described = {
        "name": PLUGIN,
        "version": VERSION,
        "description": _DESCRIPTION,
        "mcpServers": "./.mcp.json",
        "hooks": "./hooks/hooks.json",
    }
    return {
        ".codex-plugin/plugin.json": as_json(described),
        ".mcp.json": as_json({"mcpServers": {SERVER: _server(launch)}}),
        "hooks/hooks.json": as_json({"hooks": {spec.native: [_group(spec, launch)] for spec in EVENTS}}),
    }


def _server(launch: Launch) -> dict[str, object]:
    command, *arguments = launch.shim
    return {
        "command": command,
        "args": arguments,
        # Without it a headless run refuses every tool. Not "required": a missing server must never stop a session.
        "default_tools_approval_mode": "approve",
        "tools": {tool: {"output_token_limit": _RESULT_TOKENS} for tool in TOOLS},
    }


def _group(spec: EventSpec, launch: Launch) -> dict[str, object]:
    handlers = {
        "hooks": [
            {
                "type": "mcp_tool",
                "server": SERVER,
                "tool": launch.event_tool,
                "input": spec.arguments(part),
                "timeout": int(spec.timeout),
            }
            for part in launch.parts(spec)
        ],
    }
    return {"matcher": spec.matcher, **handlers} if spec.matcher else {**handlers}
