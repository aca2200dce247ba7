"""``kg commit``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_plugin_api import Code, KgError
from kg_server.cli.options import patiently, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("commit")
@with_home
def command(home: Home) -> None:
    """Commit the memory folder to its git repository now. The server does it every 15 minutes, and when it ends."""
    from kg_server.client import Client

    if not (home.memory / ".git").exists():
        raise KgError(Code.NOT_FOUND, f"{home.memory} is no git repository. Make it one: git init {home.memory}")
    with Client(home) as client:
        done = patiently("Committing", lambda: client.post("/api/v1/commit", {}, within=300))
    if done["problem"]:
        raise KgError(Code.UNAVAILABLE, done["problem"])
    click.echo("Committed." if done["committed"] else "There was nothing to commit.")
