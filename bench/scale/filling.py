"""Filling a Postgres in bulk, from where an earlier run was broken off, and indexing it then."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.embedding import queue
from scale.rows import COLUMNS, DIMENSIONS, END, HEAD, MODEL, VOCABULARY, Shape, stream, word

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from kg_search_pg.backend import PgBackend

_NODES_AT_A_TIME: Final = 1_000
_PATIENCE: Final = 7_200.0
_NOTE: Final = "insert into note values (%s, %s) on conflict (name) do update set value = excluded.value"
_SECONDARY: Final = (
    "select indexname, indexdef from pg_indexes where schemaname = current_schema() and tablename = 'chunk'"
    " and indexname not in (select conname from pg_constraint) and indexname <> %s"
)
_SIZES: Final = """
    select pg_relation_size(to_regclass(%s)), pg_relation_size('chunk_words'), pg_table_size('chunk'),
        pg_total_relation_size('chunk')
"""


async def fill(backend: PgBackend, shape: Shape) -> dict[str, float]:
    """Brings all rows and every index but that over the vectors; what is there already is kept.

    Returns the seconds that the rows and each index took, of those that were not there. Raises SystemExit when the
    folder holds another memory.
    """
    took: dict[str, float] = {}
    async with backend.database.connection(_PATIENCE) as connection:
        await connection.execute("set statement_timeout = 0")
        await connection.execute("set maintenance_work_mem = '1GB'")
        await _own(connection, shape)
        if (there := await _one(connection, "select count(*) from chunk")) < shape.nodes * shape.each:
            for name, definition in await (await connection.execute(_SECONDARY, [queue.INDEX])).fetchall():
                await connection.execute(_NOTE, [f"later {name}", definition])
                await connection.execute(f"drop index {name}")
            began = monotonic()
            await _rows(connection, shape, there // shape.each)
            took["rows"] = monotonic() - began
        later = await connection.execute("select name, value from note where name like 'later %'")
        for name, definition in await later.fetchall():
            began = monotonic()
            await connection.execute(definition)
            took[name.removeprefix("later ")] = monotonic() - began
            await connection.execute("delete from note where name = %s", [name])
        if took:
            await connection.execute("vacuum analyze chunk")
        await connection.execute(_NOTE, ["model", MODEL])
        await connection.execute(_NOTE, ["dimensions", str(DIMENSIONS)])
        await connection.execute("reset maintenance_work_mem")
    return took


async def indexed(backend: PgBackend) -> tuple[float, dict[str, int]]:
    """Waits for the index over the vectors, which the backend makes by itself: the seconds, and the sizes in bytes."""
    began = monotonic()
    while not (health := await backend.health())["vector index"]:
        if problem := health.get("problem"):
            raise SystemExit(str(problem))
        await asyncio.sleep(0.2)
    took = monotonic() - began
    async with backend.database.connection() as connection:
        sizes = await (await connection.execute(_SIZES, [queue.INDEX])).fetchone()
    return took, dict(zip(("vectors", "words", "table", "all"), sizes or (), strict=True))


async def _own(connection: AsyncConnection[Any], shape: Shape) -> None:
    """Makes sure that what is there is, or becomes, this memory."""
    row = await (await connection.execute("select value from note where name = 'bench'")).fetchone()
    if row and row[0] != str(shape):
        raise SystemExit(f"The folder holds {row[0]}, not {shape}. Name another one.")
    await connection.execute(_NOTE, ["bench", str(shape)])


async def _rows(connection: AsyncConnection[Any], shape: Shape, first: int) -> None:
    """Copies node after node; a batch is there as a whole or not at all."""
    words = [word(rank).encode() for rank in range(VOCABULARY)]
    for start in range(first - first % _NODES_AT_A_TIME, shape.nodes, _NODES_AT_A_TIME):
        end = min(shape.nodes, start + _NODES_AT_A_TIME)
        async with connection.cursor() as cursor, cursor.copy(f"copy chunk ({COLUMNS}) from stdin binary") as copy:
            await copy.write(HEAD)
            for rows in stream(shape, start, end, words):
                await copy.write(rows)
            await copy.write(END)


async def _one(connection: AsyncConnection[Any], statement: str) -> int:
    row = await (await connection.execute(statement)).fetchone()
    return int(row[0]) if row else 0
