"""``kg show``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.options import as_json, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("show")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@as_json
@with_cwd
@with_home
def command(home: Home, cwd: str, ids: tuple[str, ...], *, as_json: bool) -> None:
    """Show the memory of this folder, or the lessons with these ids in full."""
    from kg_server.client import Client

    found = Client(home).get("/api/v1/show", {"cwd": cwd, "id": list(ids)})
    if as_json:
        print_json(found)
    else:
        click.echo(found["text"])
