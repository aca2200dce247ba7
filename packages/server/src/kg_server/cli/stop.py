"""``kg stop``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.options import Waiting, with_home
from kg_server.lifecycle.control import Control

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("stop")
@with_home
def command(home: Home) -> None:
    """Stop the server. It stays stopped until the next session of an agent starts, or `kg start`."""
    stopped = Control(home, waiting=Waiting("Stopping the server")).stop()
    click.echo("Stopped." if stopped else "No server was running.")
