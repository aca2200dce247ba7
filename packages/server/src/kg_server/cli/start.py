"""``kg start``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.control import control, tell_started
from kg_server.cli.options import as_json, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("start")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> None:
    """Start the server, or leave a running one of this version alone; an older one is replaced."""
    started = control(home, "Starting the server").start()
    fresh = "Started in place of an older one." if started.replaced else "Started."
    tell_started(home, started, fresh if started.fresh else "Already running.", as_json=as_json)
