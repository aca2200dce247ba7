"""``kg stop``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.options import Waiting, as_json, print_json, with_home
from kg_server.lifecycle.control import Control

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("stop")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> None:
    """Stop the server. It stays stopped until the next session of an agent starts, or `kg start`."""
    stopped = Control(home, waiting=Waiting("Stopping the server")).stop()
    if as_json:
        print_json({"running": False, "stopped": stopped, "home": str(home.root)})
    else:
        click.echo("Stopped." if stopped else "No server was running.")
