"""``kg show``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.looking import looked
from kg_server.cli.options import as_json, print_json, with_cwd, with_home
from kg_server.cli.output import tell_failure

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("show")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@as_json
@with_cwd
@with_home
def command(home: Home, cwd: str, ids: tuple[str, ...], *, as_json: bool) -> int:
    """Show the memory of this folder, or the lessons with these ids in full. Exit code 1 when one does not exist."""
    found = looked(home, "/api/v1/show", {"cwd": cwd, "id": list(ids)})
    if as_json:
        print_json(found)
    elif found["text"]:
        click.echo(found["text"])
    if note := found.get("note"):
        click.echo(f"Note: {note}", err=True)
    for sentence in () if as_json else found["missing"]:  # they are in the document
        tell_failure(sentence)
    return 1 if found["missing"] else 0
