"""The commands that go into a client's settings: absolute, quoted, and silent once kg is gone."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kg_plugin_api import EventKind, Launch
from kg_server import carrier
from kg_server.carrier.protocol import EVENT_TOOL
from kg_server.carrier.version import VERSION

if TYPE_CHECKING:
    from kg_core.store import Home
    from kg_plugin_api import Harness


def launch(home: Home, harness: Harness) -> Launch:
    """How this installation's carriers are started for a harness and a memory home."""
    return Launch(
        shim=shim(home, harness.name),
        hook={
            spec.native: _command(
                *("hook", "--harness", harness.name, "--home", str(home.root), "--event", spec.native),
                *(["--start"] if spec.kind is EventKind.SESSION_START else []),
            )
            for spec in harness.events
        },
        event_tool=EVENT_TOOL,
        version=VERSION,
    )


def shim(home: Home, harness: str) -> tuple[str, ...]:
    """How the MCP shim is started for the harness of that name."""
    return ("/bin/sh", "-c", _command("mcp", "--harness", harness, "--home", str(home.root)))


def _command(*arguments: str) -> str:
    """A POSIX shell command for a carrier.

    Interpreter and script are looked for first: a missing script would make the interpreter exit with a code by
    which clients block what the person typed.
    """
    python, script = shlex.quote(sys.executable), shlex.quote(str(carrier_script()))
    return f"[ -x {python} ] && [ -f {script} ] || exit 0; exec {python} -I -S {script} {shlex.join(arguments)}"


def carrier_script() -> Path:
    """What the carriers' commands run; it is gone once kg is."""
    return Path(str(carrier.__file__)).with_name("run.py")
