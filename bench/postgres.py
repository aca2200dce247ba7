"""How fast the search in Postgres is over a large memory: text by Zipf's law, vectors at random, said to be so.

    uv run --no-sync python bench/postgres.py --nodes 100000 --rows 10

makes a private Postgres in a temporary folder, fills it, waits for the index over the vectors and asks with an embedder
that answers at once: what is measured is Postgres, the driver and the fusion.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import SearchRequest
from kg_search_pg.embedding import queue
from kg_search_pg.opening import open_backend
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_search_pg.backend import PgBackend

VOCABULARY: Final = 50_000
WORDS: Final = 40
"""In a row."""
DIMENSIONS: Final = 384
QUESTIONS: Final = 200
_MODEL: Final = "random"

_FILL: Final = """
    insert into chunk (key, ordinal, graph, item, level, tier, status, kind, tags, observer, observed, hash, digest,
        content, words, model, embedding)
    select 'project:p' || chr(31) || 'n' || node, ordinal, 'project:p', 'n' || node, 'project', 'active', 'current',
        'stated', '{}', '', '', '', '', text, setweight(to_tsvector('simple', text), 'B'), %(model)s, vector
    from generate_series(%(first)s::int, %(last)s::int) as node
    cross join generate_series(0, %(rows)s - 1) as ordinal
    cross join lateral (
        select string_agg('w' || floor(exp(random() * ln(%(vocabulary)s)))::int, ' ') as text
        from generate_series(1, %(words)s + 0 * node * ordinal)
    ) as text
    cross join lateral (
        select array_agg(random_normal())::vector as vector
        from generate_series(1, %(dimensions)s + 0 * node * ordinal)
    ) as vector
"""
_NODES_AT_A_TIME: Final = 2_000


class Random:
    """Answers at once, with any direction."""

    model = _MODEL

    async def query(self, text: str) -> tuple[float, ...]:
        source = random.Random(text)
        return tuple(source.gauss(0, 1) for _ in range(DIMENSIONS))

    async def passages(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        return [await self.query(text) for text in texts]

    async def close(self) -> None:
        pass


async def measured(nodes: int, rows: int) -> None:
    with tempfile.TemporaryDirectory(prefix="kg-bench-") as folder:
        options = Options(home=Path(folder))
        backend = await open_backend(options, Random())
        try:
            await _fill(backend, nodes, rows)
        finally:
            await backend.close()
        backend = await open_backend(options, Random())
        try:
            await _indexed(backend)
            await _ask(backend)
        finally:
            await backend.close()


async def _fill(backend: PgBackend, nodes: int, rows: int) -> None:
    began = monotonic()
    for first in range(0, nodes, _NODES_AT_A_TIME):
        values: dict[str, Any] = {
            "first": first,
            "last": min(nodes, first + _NODES_AT_A_TIME) - 1,
            "rows": rows,
            "model": _MODEL,
            "vocabulary": VOCABULARY,
            "words": WORDS,
            "dimensions": DIMENSIONS,
        }
        async with backend.database.connection(600.0) as connection:
            await connection.execute("set statement_timeout = 0")
            await connection.execute(_FILL, values)
    async with backend.database.connection(600.0) as connection:
        await connection.execute("set statement_timeout = 0")
        await connection.execute("insert into note values ('dimensions', %s)", [str(DIMENSIONS)])
        await connection.execute("vacuum analyze chunk")
    print(f"{nodes:,} nodes, {nodes * rows:,} rows, filled in {monotonic() - began:.0f} s", flush=True)


async def _indexed(backend: PgBackend) -> None:
    began = monotonic()
    while not (health := await backend.health())["vector index"]:  # noqa: ASYNC110 - the queue has no event for it
        await asyncio.sleep(1)
    async with backend.database.connection() as connection:
        sizes = await (
            await connection.execute(
                "select pg_size_pretty(pg_relation_size(%s::regclass)),"
                " pg_size_pretty(pg_relation_size('chunk_words')), pg_size_pretty(pg_total_relation_size('chunk'))",
                [queue.INDEX],
            )
        ).fetchone()
    print(f"index over the vectors in {monotonic() - began:.0f} s; its size, that over words, all: {sizes}; {health}")


async def _ask(backend: PgBackend) -> None:
    source = random.Random(1)
    questions = [
        " ".join(f"w{int(VOCABULARY ** source.random())}" for _ in range(source.randint(2, 8)))
        for _ in range(QUESTIONS)
    ]
    for turn in ("cold", "warm"):
        times = []
        degraded = 0
        for text in questions:
            began = perf_counter()
            results = await backend.search(
                SearchRequest(text=text, graphs=("user", "project:p"), limit=15, budget=30.0)
            )
            times.append((perf_counter() - began) * 1000)
            degraded += bool(results.degraded)
        times.sort()
        p50, p95, most = times[len(times) // 2], times[len(times) * 95 // 100], times[-1]
        print(f"{turn}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, most {most:.1f} ms, degraded {degraded} of {len(times)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000, help="how many lessons (default: 10,000)")
    parser.add_argument("--rows", type=int, default=10, help="rows of each (default: 10)")
    arguments = parser.parse_args()
    asyncio.run(measured(arguments.nodes, arguments.rows))


if __name__ == "__main__":
    main()
