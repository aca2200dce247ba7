"""``kg start``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.control import control, described
from kg_server.cli.options import with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("start")
@with_home
def command(home: Home) -> None:
    """Start the server, or leave a running one of this version alone; an older one is replaced."""
    started = control(home, "Starting the server").start()
    click.echo(("Started. " if started.fresh else "Already running. ") + described(home, started.health))
