"""The tables of an earlier version, brought to their newest form with what they hold."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import psycopg
import pytest

from kg_search_pg import schema

if TYPE_CHECKING:
    from kg_search_pg.embedded import EmbeddedServer

SCHEMA = "grown"
_FILL = """
    insert into chunk (key, ordinal, graph, item, type, level, tier, status, kind, tags, observer, observed, hash,
        digest, content, words)
    select type || number, 0, 'user', number, type, 'user', '', 'current', '', '{}', '', '', '', '', '', ''
    from (values ('node', 200), ('document', 20000)) as filled (type, most), generate_series(1, most) as number
"""
_COUNT = """
    explain (analyze, timing off, costs off, buffers off)
    select count(*) from chunk where ordinal = 0 and graph = any(array['user']) and type = 'node'
"""


@pytest.mark.parametrize("version", range(len(schema.MIGRATIONS)))
def test_an_index_of_any_earlier_version_is_taken_over_and_lessons_are_counted_without_reading_documents(
    postgres: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    async def main() -> list[str]:
        async with await psycopg.AsyncConnection.connect(postgres.dsn, autocommit=True) as connection:
            await connection.execute(f"drop schema if exists {SCHEMA} cascade".encode())
            with monkeypatch.context() as earlier:
                earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:version])
                earlier.setattr(schema, "_USE", ())
                await schema.migrate(connection, SCHEMA)
            await connection.execute(f"set search_path to {SCHEMA}".encode())
            if version:
                await connection.execute(_FILL)

            await schema.migrate(connection, SCHEMA)

            if not version:
                await connection.execute(_FILL)
            counted = await connection.execute(b"select type, count(*) from chunk group by type order by type")
            assert await counted.fetchall() == [("document", 20_000), ("node", 200)]
            await connection.execute("vacuum analyze chunk")
            return [line for (line,) in await (await connection.execute(_COUNT)).fetchall()]

    assert not [line for line in asyncio.run(main()) if "Removed" in line]
