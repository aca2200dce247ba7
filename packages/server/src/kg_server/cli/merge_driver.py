"""``kg merge-driver``: works on the three files that git gives it, and on nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click


@click.command("merge-driver")
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("ours", type=click.Path(path_type=Path))
@click.argument("theirs", type=click.Path(path_type=Path))
def command(base: Path, ours: Path, theirs: Path) -> None:
    """Merge the graph file THEIRS into OURS; BASE is what both grew from. git's %O, %A and %B.

    Of a lesson that both sides changed, OURS stays and THEIRS is kept beside it in the file. A file that is no graph
    is left as it is, with exit code 2: then git merges lines.
    """
    conflicts = asyncio.run(_merge(base, ours, theirs))
    if conflicts:
        click.echo(f"kg: both versions are kept of: {', '.join(conflicts)}.", err=True)


async def _merge(base: Path, ours: Path, theirs: Path) -> tuple[str, ...]:
    from kg_core.exchange.document import content, read_whole
    from kg_core.model.merge import merge

    grown_from = await read_whole(base.read_bytes(), str(base))
    sides = [await read_whole(path.read_bytes(), str(path), known=grown_from) for path in (ours, theirs)]
    merged = merge(grown_from, *sides)
    ours.write_bytes(b"".join(await content(merged.graph)))
    return merged.conflicts
