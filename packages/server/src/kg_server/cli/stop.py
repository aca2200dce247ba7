"""``kg stop``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_plugin_api import Code, KgError
from kg_server.carrier.places import Places
from kg_server.cli.options import Waiting, as_json, print_json, with_home
from kg_server.cli.terminal import in_line
from kg_server.lifecycle.control import Control

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("stop")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> None:
    """Stop the server. It stays stopped until the next session of an agent starts, or `kg start`."""
    control = Control(home, waiting=Waiting("Stopping the server"))
    stopped = control.stop()
    if as_json:
        print_json({"running": False, "stopped": stopped, "home": str(home.root)})
    else:
        click.echo("Stopped." if stopped else "No server was running.")
    if not control.stays_stopped():
        place = in_line(Places(str(home.root)).stopped)
        raise KgError(
            Code.UNAVAILABLE, f"{place} cannot be written, so the next call of an agent starts the server again."
        )
