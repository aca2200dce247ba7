"""``kg export``"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

from kg_server.cli.options import patiently, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("export")
@click.option("--format", "form", type=click.Choice(["json", "markdown"]), default="json", help="JSON unless named.")
@click.option("--level", type=click.Choice(["user", "project", "maintain"]), help="One level instead of all memory.")
@with_cwd
@with_home
def command(home: Home, cwd: str, *, form: str, level: str | None) -> None:
    """Print the memory to standard output. `kg import` reads the JSON again, with all times."""
    from kg_server.client import Client

    with Client(home) as client:
        query = {"cwd": cwd, "level": level or ""}
        exported: Any = patiently("Exporting", lambda: client.get("/api/v1/export", query, within=300))
    if form == "json":
        print_json(exported)
        return
    for key, record in exported["graphs"].items():
        click.echo(asyncio.run(_markdown(key, record)))


async def _markdown(key: str, record: dict[str, Any]) -> str:
    from kg_core.exchange.document import read_whole
    from kg_core.exchange.markdown import exported

    return exported(await read_whole(json.dumps(record).encode(), key), key)
