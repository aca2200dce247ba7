"""``kg restart``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.control import control, described
from kg_server.cli.options import with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("restart")
@with_home
def command(home: Home) -> None:
    """Stop the server, if it runs, and start it."""
    started = control(home, "Restarting the server").restart()
    click.echo("Restarted. " + described(home, started.health))
