"""The hooks of the published peer in a client's settings, and its server in the network of the client."""

from __future__ import annotations

import contextlib
import http.client
import json
import shlex
from typing import TYPE_CHECKING, Any, Final

from kg_harness_codex.appserver import AppServer
from kg_plugin_api import Launch, Site
from speed.peer import VERSION, Peer
from speed.process import Process, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.acceptance.machine import Machine
    from tests.acceptance.network import Loopback

TITLE: Final = f"kg-memory {VERSION}"
CARRIER: Final = "`bash` and `curl`"

_SCRIPTS: Final = {
    "SessionStart": "kg-autostart.sh",
    "UserPromptSubmit": "kg-remind.sh",
    "PostToolUse": "kg-tool-event.sh",
}


@contextlib.contextmanager
def running(machine: Machine, network: Loopback, python: Path, root: Path) -> Iterator[dict[str, Any]]:
    """The peer's server with an empty memory, and its hooks in the form that Claude Code and Codex both read."""
    module = Peer.module_folder(python)
    port = free_port()
    environ = machine.environ(
        {
            "KG_STORAGE_ROOT": str(root / "storage"),
            "KG_HTTP_PORT": str(port),
            "KG_UPDATE_CHECK": "0",
            "KG_CHORES": "0",
            "XDG_STATE_HOME": str(root / "state"),
        }
    )
    command = [*network.prefix, str(python), str(module / "server" / "mcp_streamable_server.py")]
    process = Process.start(command, environ, root / "peer.log", lambda: network.inside(lambda: _answers(port)))
    try:
        yield {native: [_group(port, module / "hooks" / script)] for native, script in _SCRIPTS.items()}
    finally:
        process.stop()


def trust(machine: Machine, config: Path, binary: Path) -> None:
    """Has Codex run all hooks of its user, as a person's yes in its review does."""
    site = Site(
        home=machine.home,
        config=config,
        own=machine.memory,
        launch=Launch(shim=(), hook={}),
        binary=binary,
        environ=machine.environ(),
    )
    with AppServer(site) as server:
        listed: Any = server.call("hooks/list", {"cwds": [str(machine.home)]})["data"]
        hashes = {hook["key"]: {"trusted_hash": hook["currentHash"]} for folder in listed for hook in folder["hooks"]}
        edit = {"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": hashes}
        server.call("config/batchWrite", {"edits": [edit]})


def _group(port: int, script: Path) -> dict[str, Any]:
    command = f"KG_HTTP_PORT={port} {shlex.quote(str(script))}"
    return {"hooks": [{"type": "command", "command": command}]}


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health")
        return bool(json.loads(connection.getresponse().read())["status"])
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return False
    finally:
        connection.close()
