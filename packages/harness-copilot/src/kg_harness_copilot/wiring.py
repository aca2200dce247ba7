"""What Copilot CLI must find on disk: a file of hooks, and one entry among the MCP servers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kg_harness_copilot.events import EVENTS
from kg_harness_copilot.names import OWN_TOOLS, SERVER
from kg_plugin_api import JsonEntry, Offer, OwnedFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kg_plugin_api import Claim, EventSpec, Launch, Site, Step

_ALLOW: Final = '{"behavior":"allow"}'
"""The answer to the client's question whether a tool may run."""


class CopilotWiring:
    """Hooks and server in the user's own folder, which the client reads without a question of trust."""

    def claims(self, site: Site) -> Sequence[Claim]:
        """The hooks in a file of their own, and the server with all its tools in every first request."""
        return (
            OwnedFile(path=site.config / "hooks" / f"{SERVER}.json", text=_json(_hooks(site.launch))),
            JsonEntry(path=site.config / "mcp-config.json", keys=("mcpServers", SERVER), value=_server(site.launch)),
        )

    def steps(self, site: Site) -> Sequence[Step]:
        """None: the client takes everything from its files."""
        return ()

    def offers(self, site: Site) -> Sequence[Offer]:
        """Switching off the client's own memory, so that one lesson is not kept in two places."""
        switch = JsonEntry(path=site.config / "settings.json", keys=("memory",), value=False, replace=True)
        return (
            Offer(
                name="memory-off",
                question="Copilot CLI can keep a memory of its own beside kg. Turn that one off?",
                claims=(switch,),
            ),
        )


def _hooks(launch: Launch) -> dict[str, object]:
    hooks: dict[str, list[dict[str, object]]] = {spec.native: [_hook(spec, launch)] for spec in EVENTS}
    # Asked only where the client would ask a person, or refuse in a headless run. It needs no server to answer.
    hooks["permissionRequest"] = [
        {
            "type": "command",
            "matcher": OWN_TOOLS,
            "bash": f"printf '%s' '{_ALLOW}'",
            "powershell": f"'{_ALLOW}'",
            "timeoutSec": 2,
        }
    ]
    return {"version": 1, "hooks": hooks}


def _hook(spec: EventSpec, launch: Launch) -> dict[str, object]:
    matched = {"matcher": spec.matcher} if spec.matcher else {}
    return {"type": "command", **matched, **_command(spec, launch), "timeoutSec": int(spec.timeout)}


def _command(spec: EventSpec, launch: Launch) -> dict[str, object]:
    """A shell command, or where there is no POSIX shell one for PowerShell."""
    if spec.native in launch.hook_argv:
        return {"powershell": f"& {' '.join(map(_quoted, launch.hook_argv[spec.native]))}"}
    return {"bash": launch.hook[spec.native]}


def _quoted(argument: str) -> str:
    """One argument for PowerShell, taken literally; it closes a quotation with any of its single quotes."""
    for quote in "'‘’‚‛":
        argument = argument.replace(quote, quote * 2)
    return f"'{argument}'"


def _server(launch: Launch) -> dict[str, object]:
    command, *arguments = launch.shim
    # Without deferTools a client with many tools shows the model none of ours until it looks for them.
    return {"type": "local", "command": command, "args": arguments, "tools": ["*"], "deferTools": "never"}


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
