"""``kg commit``"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from kg_plugin_api import Code, KgError
from kg_server.cli.options import as_json, patiently, print_json, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("commit")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> None:
    """Commit the memory folder to its git repository now. The server does it too (`[git]` in config.toml)."""
    from kg_server.client import Client

    if not (home.memory / ".git").exists():
        make = f"`git init {shlex.quote(str(home.memory))}` makes it one."
        raise KgError(Code.NOT_FOUND, f"{home.memory} is no git repository. {make}")
    with Client(home) as client:
        done = patiently("Committing", lambda: client.post("/api/v1/commit", {}, within=300))
    if done["problem"]:
        raise KgError(Code.UNAVAILABLE, done["problem"])
    if as_json:
        print_json({"committed": done["committed"]})
    else:
        click.echo("Committed." if done["committed"] else "There was nothing to commit.")
