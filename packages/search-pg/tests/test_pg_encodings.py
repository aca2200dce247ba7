"""Texts have any character, whatever encoding a database, a DSN or the environment names."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import psycopg
import pytest

from kg_plugin_api import Code, KgError, SearchItem, SearchRequest
from kg_search_pg.opening import open_backend
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from kg_search_pg.embedded import EmbeddedServer

GIST = "the harbour \U0001f6a2 港口"
ITEM = SearchItem(key="user\x1fa", graph="user", id="a", gist=GIST, hash=GIST)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_client_of_another_encoding_keeps_and_finds_every_character(
    postgres: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", encoding)
    dsn = psycopg.conninfo.make_conninfo(postgres.dsn, client_encoding=encoding)

    async def main() -> None:
        for each in (dsn, postgres.dsn):
            backend = await open_backend(Options(dsn=each, schema="encoded", embedder="none"))
            await backend.upsert([ITEM])
            found = await backend.search(SearchRequest(text="\U0001f6a2", graphs=("user",), budget=2.0))
            assert [hit.id for hit in found.hits] == ["a"]
            assert await backend.snapshot() == {ITEM.key: GIST}
            await backend.close()

    asyncio.run(main())


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_lacks_characters_is_refused_before_anything_is_made_in_it(
    postgres: EmbeddedServer, encoding: str
) -> None:
    name = f"in_{encoding.lower()}"
    dsn = psycopg.conninfo.make_conninfo(postgres.dsn, dbname=name)
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(f"create database {name} encoding '{encoding}' template template0 locale 'C'".encode())

    with pytest.raises(KgError, match=rf"dsn: .* in {encoding} .*createdb -E UTF8") as failure:
        asyncio.run(open_backend(Options(dsn=dsn, embedder="none")))

    assert failure.value.code is Code.INVALID
    with psycopg.connect(dsn, client_encoding="utf8") as connection:
        assert connection.execute("select to_regnamespace('kg') is null").fetchone() == (True,)
