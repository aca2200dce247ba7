"""``kg search``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_core.model.depth import Depth
from kg_server.cli.given import NAME
from kg_server.cli.looking import looked
from kg_server.cli.options import as_json, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("search")
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option(
    "--depth",
    type=click.Choice([depth.value for depth in Depth]),
    help="explicit: what was stated; derived: conclusions too; premises, ancestry: also what these rest on, directly "
    "or all the way. Without it, or auto: by what is found.",
)
@click.option("--observer", type=NAME, metavar="NAME", help="Only the views of this observer.")
@click.option("--observed", type=NAME, metavar="NAME", help="Only views of this person or thing.")
@as_json
@with_cwd
@with_home
def command(
    home: Home,
    cwd: str,
    words: tuple[str, ...],
    *,
    depth: str | None,
    observer: str | None,
    observed: str | None,
    as_json: bool,
) -> None:
    """Search the memory of this folder. Any words are legal; there are no operators."""
    text = " ".join(words).encode("utf-8", "replace").decode("utf-8")  # lessons hold nothing that is no text
    asked = {"depth": depth or "", "observer": observer or "", "observed": observed or ""}
    found = looked(home, "/api/v1/search", {"cwd": cwd, "query": text, **asked}, "Searching")
    if as_json:
        print_json(found)
    else:
        click.echo(found["text"] or "Nothing in this memory matches.")
        if degraded := found.get("degraded"):
            click.echo(f"Note: {degraded}", err=True)
