"""``kg add``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.given import NAME
from kg_server.cli.options import as_json, patiently, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("add")
@click.argument("gist", type=NAME)
@click.option("--id", "node_id", type=NAME, metavar="ID", help="Its subject in 3 to 5 words, joined by '-'.")
@click.option(
    "--note", "notes", type=NAME, multiple=True, metavar="TEXT", help="A case or a reason; may be given again."
)
@click.option(
    "--touches", type=NAME, multiple=True, metavar="PATH", help="A file or folder it is about; may be given again."
)
@click.option("--tag", "tags", type=NAME, multiple=True, metavar="WORD", help="A word to group by; may be given again.")
@click.option(
    "--level", type=click.Choice(["user", "project"]), help="Else the project of this folder, or the user without one."
)
@as_json
@with_cwd
@with_home
def command(  # one argument for each option
    home: Home,
    cwd: str,
    gist: str,
    *,
    node_id: str | None,
    notes: tuple[str, ...],
    touches: tuple[str, ...],
    tags: tuple[str, ...],
    level: str | None,
    as_json: bool,
) -> None:
    """Add a lesson to the memory of this folder. GIST is what it claims, in one sentence.

    Sessions that are open are told of it. What is there already is never changed by this.
    """
    from kg_server.client import Client

    asked = {"cwd": cwd, "level": level or "", "gist": gist, "id": node_id or ""}
    lists = {"notes": list(notes), "touches": list(touches), "tags": list(tags)}
    with Client(home) as client:
        done = patiently("Adding", lambda: client.post("/api/v1/add", {**asked, **lists}))
    if as_json:
        print_json(done)
    else:
        click.echo(done["text"])
