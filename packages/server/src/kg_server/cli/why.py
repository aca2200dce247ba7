"""``kg why``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.looking import looked
from kg_server.cli.options import as_json, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("why")
@click.argument("lesson", metavar="ID")
@click.option("--level", type=click.Choice(["user", "project"]), help="Needed only when both levels have the id.")
@as_json
@with_cwd
@with_home
def command(home: Home, cwd: str, lesson: str, level: str | None, *, as_json: bool) -> None:
    """Explain why a lesson is in sight or not: its score, and what would bring it back."""
    found = looked(home, "/api/v1/why", {"cwd": cwd, "id": lesson, "level": level or ""})
    if as_json:
        print_json(found)
    else:
        click.echo(found["text"])
