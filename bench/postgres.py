"""How fast the search in Postgres is over a large memory: text by Zipf's law and vectors that are made up.

    uv run --no-sync python bench/postgres.py --nodes 100000 --rows 1000000 --folder .cache/scale --json scale.json

fills a private Postgres, indexes it and asks. With ``--folder`` the memory stays, and a run that was broken off goes on
where it was.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from kg_search_pg.opening import open_backend
from kg_search_pg.options import NONE, Options
from scale.asking import MadeUp, asked, questions
from scale.filling import fill, indexed
from scale.rows import DIMENSIONS, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> None:
    """Parses the arguments, measures, prints, writes the file."""
    arguments = _arguments()
    shape = Shape(arguments.nodes, arguments.rows or 10 * arguments.nodes)
    with _folder(arguments.folder) as folder:
        figures = asyncio.run(measured(folder, shape, arguments.questions))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


async def measured(folder: Path, shape: Shape, count: int) -> dict[str, object]:
    """Fills, indexes, asks; prints what it finds while it does, and returns it."""
    backend = await open_backend(Options(home=folder, embedder=NONE))
    try:
        took = await fill(backend, shape)
    finally:
        await backend.close()
    print(f"{shape}, {DIMENSIONS} dimensions", flush=True)
    print("\n".join(f"{name}: {seconds:.1f} s" for name, seconds in took.items()) or "filled before", flush=True)
    backend = await open_backend(Options(home=folder), MadeUp())
    try:
        seconds, sizes = await indexed(backend)
        print(f"index over the vectors: {seconds:.1f} s", flush=True)
        print("\n".join(f"size, {name}: {size / 2**20:,.0f} MiB" for name, size in sizes.items()), flush=True)
        texts = questions(count)
        times = {}
        for name, is_prompt in (("tool, cold", False), ("tool, warm", False), ("prompt, warm", True)):
            times[name] = await asked(backend, texts, is_prompt=is_prompt)
            print(f"{name}: {times[name]}", flush=True)
    finally:
        await backend.close()
    return {
        "nodes": shape.nodes,
        "rows": shape.nodes * shape.each,
        "seconds": {**took, "vectors": seconds},
        "bytes": sizes,
        "times": {name: each.record() for name, each in times.items()},
    }


@contextlib.contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is None:
        with tempfile.TemporaryDirectory(prefix="kg-bench-") as folder:
            yield Path(folder)
    else:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000, help="how many lessons (default: 10,000)")
    parser.add_argument("--rows", type=int, help="how many rows in all (default: ten of each lesson)")
    parser.add_argument("--questions", type=int, default=200, help="how many are asked (default: 200)")
    parser.add_argument("--folder", type=Path, help="where the memory stays, and a run that was broken off goes on")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
