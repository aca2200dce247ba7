"""What Claude Code must find on disk: a plug-in folder of ours, and three entries in the user's settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kg_harness_claude.events import EVENTS
from kg_harness_claude.names import HOOK_SERVER, MARKETPLACE, PERMISSION, PLUGIN, PLUGIN_ID, SERVER
from kg_harness_claude.switch import HooksStep
from kg_plugin_api import Carrier, JsonEntry, JsonItem, Offer, OwnedFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kg_plugin_api import Claim, EventSpec, Launch, Site, Step

_DESCRIPTION: Final = "One local memory for all coding agents on this machine."
_FORMAT: Final = "1.0.0"
"""The version of the folder's shape. Not kg's version: an upgrade that changes no hook changes no file."""


class ClaudeWiring:
    """Enables a plug-in that lies in our own folder; the client reads it in place, nothing is installed."""

    def claims(self, site: Site) -> Sequence[Claim]:
        """The plug-in's files, and the settings that make the client load it and run its tools unasked."""
        settings = site.config / "settings.json"
        source = {"source": {"source": "directory", "path": str(site.own)}}
        return (
            *_plugin(site),
            JsonEntry(path=settings, keys=("extraKnownMarketplaces", MARKETPLACE), value=source),
            JsonEntry(path=settings, keys=("enabledPlugins", PLUGIN_ID), value=True),
            JsonItem(path=settings, keys=("permissions", "allow"), value=PERMISSION),
        )

    def steps(self, site: Site) -> Sequence[Step]:
        """None that does anything: the client takes all from its settings, where a switch may turn hooks off."""
        return (HooksStep(),)

    def offers(self, site: Site) -> Sequence[Offer]:
        """Switching off the client's own memory, so that one lesson is not kept in two places."""
        switch = JsonEntry(path=site.config / "settings.json", keys=("autoMemoryEnabled",), value=False, replace=True)
        return (
            Offer(
                name="auto-memory-off",
                question="Claude Code keeps a memory of its own beside kg. Turn that one off?",
                claims=(switch,),
            ),
        )


def _plugin(site: Site) -> tuple[OwnedFile, ...]:
    root = site.own / PLUGIN
    described: dict[str, object] = {"name": PLUGIN, "version": _FORMAT, "description": _DESCRIPTION}
    market = {
        "name": MARKETPLACE,
        "owner": {"name": "kg"},
        "plugins": [{**described, "source": f"./{PLUGIN}"}],
    }
    return (
        _file(site.own / ".claude-plugin" / "marketplace.json", market),
        _file(root / ".claude-plugin" / "plugin.json", described),
        _file(root / "hooks" / "hooks.json", {"hooks": {spec.native: [_group(spec, site.launch)] for spec in EVENTS}}),
        _file(root / ".mcp.json", {"mcpServers": {SERVER: _server(site.launch)}}),
    )


def _group(spec: EventSpec, launch: Launch) -> dict[str, object]:
    handlers = {"hooks": [_handler(spec, launch, part) for part in launch.parts(spec)]}
    return {"matcher": spec.matcher, **handlers} if spec.matcher else {**handlers}


def _handler(spec: EventSpec, launch: Launch, part: int) -> dict[str, object]:
    if spec.carrier is Carrier.HOOK_CLIENT:
        return {"type": "command", **_command(spec, launch, part), "timeout": int(spec.timeout)}
    return {
        "type": "mcp_tool",
        "server": HOOK_SERVER,
        "tool": launch.event_tool,
        "input": spec.arguments(part),
        "timeout": int(spec.timeout),
    }


def _command(spec: EventSpec, launch: Launch, part: int) -> dict[str, object]:
    """A shell command, or where there is no POSIX shell the form that the client starts without any."""
    if spec.native in launch.hook_argv:
        command, *arguments = launch.argv(spec.native, part)
        return {"command": command, "args": arguments}
    return {"command": launch.shell(spec.native, part)}


def _server(launch: Launch) -> dict[str, object]:
    command, *arguments = launch.shim
    # Without alwaysLoad the model sees only the tools' names until it searches for them.
    return {"command": command, "args": arguments, "alwaysLoad": True}


def _file(path: Path, value: Mapping[str, object]) -> OwnedFile:
    return OwnedFile(path=path, text=json.dumps(value, indent=2, ensure_ascii=False) + "\n")
