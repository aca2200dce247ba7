"""``kg backup``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.given import FILE_PATH
from kg_server.cli.options import as_json, patiently, print_json, with_home
from kg_server.cli.terminal import in_line
from kg_server.counting import counted

if TYPE_CHECKING:
    from pathlib import Path

    from kg_core.store import Home


@click.command("backup")
@click.argument("file", required=False, type=FILE_PATH)
@as_json
@with_home
def command(home: Home, file: Path | None, *, as_json: bool) -> None:
    """Write the whole memory, as it is now, into FILE (.tar.gz), which must not exist yet.

    Without FILE it goes into the memory's own folder, where the last ten are kept.
    """
    from kg_server.client import Client

    place = "" if file is None else str(file.expanduser().absolute())
    with Client(home) as client:
        made = patiently("Backing up", lambda: client.post("/api/v1/backup", {"path": place}, within=300))
    if as_json:
        print_json(made)
    else:
        lessons, graphs = sum(made["nodes"].values()), len(made["nodes"])
        click.echo(f"{in_line(made['path'])}: {counted(lessons, 'lesson')} in {counted(graphs, 'graph')}.")
