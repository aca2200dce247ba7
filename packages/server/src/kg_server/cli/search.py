"""``kg search``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.options import as_json, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("search")
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@as_json
@with_cwd
@with_home
def command(home: Home, cwd: str, words: tuple[str, ...], *, as_json: bool) -> None:
    """Search the memory of this folder. Any words are legal; there are no operators."""
    from kg_server.client import Client

    with Client(home) as client:
        found = client.get("/api/v1/search", {"cwd": cwd, "query": " ".join(words)})
    if as_json:
        print_json(found)
    else:
        click.echo(found["text"] or "Nothing in this memory matches.")
