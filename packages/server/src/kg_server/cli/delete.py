"""``kg delete``"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from kg_server.cli.options import as_json, patiently, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("delete")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--level", type=click.Choice(["user", "project"]), help="Needed only when both levels have the id.")
@as_json
@with_cwd
@with_home
def command(home: Home, cwd: str, ids: tuple[str, ...], level: str | None, *, as_json: bool) -> None:
    """Delete these lessons of the memory of this folder with their edges, all of them or none.

    They stay deleted: no import, merge or copy of a colleague brings them back. The memory as it is now is backed up
    first, and `kg restore FILE --deleted ID` takes a lesson out of that.
    """
    from kg_server.client import Client

    with Client(home) as client:
        asked = {"cwd": cwd, "ids": list(ids), "level": level or ""}
        done = patiently("Deleting", lambda: client.post("/api/v1/delete", asked, within=300))
    if as_json:
        print_json(done)
        return
    click.echo(done["text"])
    undo = shlex.join(part for each in done["deleted"] for part in ("--deleted", each["id"]))
    click.echo(f"To undo it: kg restore {shlex.quote(done['backup'])} {undo}")
