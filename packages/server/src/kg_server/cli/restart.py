"""``kg restart``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.control import control, tell_started
from kg_server.cli.options import as_json, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("restart")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> None:
    """Stop the server, if it runs, and start it."""
    started = control(home, "Restarting the server").restart()
    done = "Restarted." if started.replaced else "No server was running. Started."
    tell_started(home, started, done, as_json=as_json)
