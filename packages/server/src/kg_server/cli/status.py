"""``kg status``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.control import described
from kg_server.cli.options import addressed, as_json, print_json, with_home
from kg_server.cli.terminal import in_line
from kg_server.lifecycle.control import Control

if TYPE_CHECKING:
    from kg_core.store import Home

NOT_RUNNING = 3
"""Exit code of a status command for something that does not run."""


@click.command("status")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> int:
    """Say whether the server runs. Exit code 0 when it does, 3 when it does not."""
    health = Control(home).health()
    if as_json:
        print_json({"running": health is not None, "home": str(home.root), "health": health})
    elif health is None:
        click.echo(in_line(f"No server answers for {home.root}. Start it with `kg start{addressed()}`."))
    else:
        click.echo(described(home, health))
    return 0 if health is not None else NOT_RUNNING
