"""``kg merge-driver``: works on the three files that git gives it, and on nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from kg_plugin_api import Code, KgError


@click.command("merge-driver")
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("ours", type=click.Path(path_type=Path))
@click.argument("theirs", type=click.Path(path_type=Path))
def command(base: Path, ours: Path, theirs: Path) -> None:
    """Merge the graph file THEIRS into OURS; BASE is what both grew from. git's %O, %A and %B.

    Of a lesson that both sides changed, OURS stays and THEIRS is kept beside it in the file. A file that is no graph
    is left as it is, with exit code 2: then git merges lines.
    """
    try:
        conflicts = asyncio.run(_merge(base, ours, theirs))
    except OSError as error:
        raise KgError(Code.UNAVAILABLE, f"{error.filename or ours}: {error.strerror}. Nothing was merged.") from error
    if conflicts:
        click.echo(f"kg: both versions are kept of: {', '.join(conflicts)}.", err=True)


async def _merge(base: Path, ours: Path, theirs: Path) -> tuple[str, ...]:
    from kg_core.exchange.document import content, read_whole
    from kg_core.model.merge import merge
    from kg_core.store import OsFiles
    from kg_core.store.files import replace_file

    grown_from = await read_whole(base.read_bytes(), str(base))
    sides = [await read_whole(path.read_bytes(), str(path), known=grown_from) for path in (ours, theirs)]
    merged = merge(grown_from, *sides)
    replace_file(OsFiles(), ours, await content(merged.graph))  # half of it would be what git merges next
    return merged.conflicts
