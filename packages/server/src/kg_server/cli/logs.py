"""``kg logs``"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from kg_plugin_api import Code, KgError
from kg_server.carrier.regular import regular
from kg_server.cli.options import with_home
from kg_server.lifecycle.control import tail

if TYPE_CHECKING:
    from pathlib import Path

    from kg_core.store import Home


@click.command("logs")
@click.option(
    *("-n", "--lines"),
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="COUNT",
    help="How many lines.",
)
@click.option("-f", "--follow", is_flag=True, help="Go on with what is written from now on.")
@with_home
def command(home: Home, lines: int, *, follow: bool) -> None:
    """Show the end of the server's log."""
    if not home.log.exists():
        raise KgError(Code.NOT_FOUND, f"There is no log yet; it will be {home.log}.")
    if home.log.is_dir() or home.log.is_fifo():
        raise KgError(Code.UNAVAILABLE, f"{home.log} is not a regular file, so there is no log to show.")
    for line in tail(home, lines):
        click.echo(line)
    if follow:
        _follow(home.log)


def _follow(log: Path) -> None:
    """Prints what is added to the log until interrupted, also after it was begun anew."""
    place = log.stat().st_size
    while True:
        size = log.stat().st_size if log.exists() else 0
        if size != place:
            with open(log, "rb", opener=regular) as file:
                file.seek(place if size > place else 0)
                click.echo(file.read().decode("utf-8", "replace"), nl=False)
            place = size
        time.sleep(0.3)
