"""``kg rename``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.given import NAME
from kg_server.cli.options import as_json, patiently, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("rename")
@click.argument("named", metavar="ID")
@click.argument("new_id", type=NAME, metavar="NEW_ID")
@click.option("--level", type=click.Choice(["user", "project"]), help="Needed only when both levels have the id.")
@as_json
@with_cwd
@with_home
def command(home: Home, cwd: str, named: str, new_id: str, level: str | None, *, as_json: bool) -> None:
    """Give a lesson of the memory of this folder another id. Its notes, its use and its edges go with it."""
    from kg_server.client import Client

    with Client(home) as client:
        asked = {"cwd": cwd, "id": named, "new_id": new_id, "level": level or ""}
        done = patiently("Renaming", lambda: client.post("/api/v1/rename", asked))
    if as_json:
        print_json(done)
    else:
        click.echo(done["text"])
