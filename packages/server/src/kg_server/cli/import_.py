"""``kg import``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from kg_core.exchange.sources import FORMATS
from kg_server.cli.given import FILE_PATH
from kg_server.cli.options import as_json, print_json, with_cwd, with_home

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kg_core.store import Home

_VERBS: Final[Mapping[str, str]] = {
    "added": "new",
    "updated": "updated",
    "same": "here already",
    "conflict": "here with other content, both kept",
    "forgotten": "deleted here, left out",
}


@click.command("import")
@click.argument("source", type=FILE_PATH)
@click.option("--from", "form", type=click.Choice(FORMATS), help="What it is, if kg does not see it.")
@click.option("--level", type=click.Choice(["user", "project"]), help="Where it goes, if it does not say.")
@click.option("--dry-run", is_flag=True, help="Say what would be taken over, and do nothing.")
@as_json
@with_cwd
@with_home
def command(
    home: Home, cwd: str, source: Path, *, form: str | None, level: str | None, dry_run: bool, as_json: bool
) -> None:
    """Take over memory from SOURCE. Twice equals once: what was changed or deleted here since stays so.

    SOURCE is a folder of kg-memory 0.17, the JSONL file of the MCP memory server, Claude Code's auto-memory folder
    (~/.claude/projects/…/memory), a Markdown file with lists, an export or a backup of kg.
    """
    from kg_server.cli import offering
    from kg_server.client import Client

    path = source.expanduser().absolute()
    with Client(home) as client:
        found = offering.read(client, path, form or "")
        if found.format == "claude":
            level = level or "project"
        portions = [(offering.target(portion, level or ""), portion.graph) for portion in found.portions]
        asked = {"kind": "import", "source": str(path), "cwd": cwd, "dry_run": dry_run}
        name = client.post("/api/v1/offers", asked)["offer"]
        summary = offering.offer(client, name, portions, "Importing")
    skipped = [{"where": each.where, "reason": each.reason} for each in found.skipped]
    summary = {"source": str(path), "format": found.format, **summary, "skipped": [*skipped, *summary["skipped"]]}
    if as_json:
        print_json(summary)
        return
    for line in offering.told(summary, _VERBS):
        click.echo(line)
