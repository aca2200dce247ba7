"""``kg preview``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from kg_server.cli.given import NAME
from kg_server.cli.looking import looked
from kg_server.cli.options import as_json, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home

_UNITS: Final = {"utf16": "characters, counted as UTF-16 units", "bytes": "bytes", "characters": "characters"}


@click.command("preview")
@click.option(
    "--harness", type=NAME, metavar="NAME", help="The agent, as `kg plugins` names it; needed when it lists several."
)
@as_json
@with_cwd
@with_home
def command(home: Home, cwd: str, harness: str | None, *, as_json: bool) -> None:
    """Show exactly what the start of a session in this folder would deliver, and its measure against the limit."""
    found = looked(home, "/api/v1/preview", {"harness": harness or "", "cwd": cwd})
    if as_json:
        print_json(found)
        return
    click.echo(found["text"])
    unit = _UNITS.get(found["unit"], found["unit"])
    click.echo(f"\n{found['measure']:,} of at most {found['limit']:,} {unit}.", err=True)
