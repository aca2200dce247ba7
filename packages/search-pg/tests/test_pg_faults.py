"""A real Postgres that is killed, frozen, robbed and crowded: what is said, and that opening again mends it."""

from __future__ import annotations

import asyncio
import os
import signal
from time import monotonic
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from kg_plugin_api import KgError, SearchItem, SearchRequest, SearchUnavailable
from kg_search_pg.embedded import EmbeddedServer, guard
from kg_search_pg.opening import open_backend, places
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from pathlib import Path


def node(name: str, gist: str, **more: Any) -> SearchItem:
    return SearchItem(key=f"user\x1f{name}", graph="user", id=name, gist=gist, hash=gist, **more)


def ask(text: str, **more: Any) -> SearchRequest:
    return SearchRequest(text=text, graphs=("user",), **more)


def embedded(health: dict[str, Any]) -> bool:
    return health["rows"] > 0 and health["lag"] == 0


async def sql(postgres: EmbeddedServer, *statements: str) -> None:
    async with await psycopg.AsyncConnection.connect(postgres.dsn, autocommit=True) as connection:
        for statement in statements:
            await connection.execute(statement.encode())


def test_a_killed_server_is_told_and_opening_again_mends_it(tmp_path: Path) -> None:
    options = Options(home=tmp_path, embedder="none")

    async def main() -> None:
        backend = await open_backend(options)
        await backend.upsert([node("a", "ledger")])
        pid = int(places(options).pid_file.read_text(encoding="utf-8").split()[0])
        os.kill(pid, signal.SIGKILL)
        for child in guard.children(pid):
            os.kill(child, signal.SIGKILL)
        with pytest.raises(SearchUnavailable, match="Postgres"):
            await asyncio.gather(*(backend.search(ask("ledger")) for _ in range(20)))
        await backend.close()

        backend = await open_backend(options)

        await backend.upsert([node("b", "harbour")])
        assert [hit.id for hit in (await backend.search(ask("harbour"))).hits] == ["b"]
        await backend.close()

    asyncio.run(main())


def test_what_the_private_server_knows_of_a_lost_connection_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Options(home=tmp_path, embedder="none")
    monkeypatch.setattr(EmbeddedServer, "explained", lambda _, sentence, *, is_lost: f"{sentence} [lost: {is_lost}]")

    async def main() -> None:
        backend = await open_backend(options)
        await backend.upsert([node("a", "ledger")])
        os.kill(int(places(options).pid_file.read_text(encoding="utf-8").split()[0]), signal.SIGQUIT)

        async def until_it_ends() -> None:
            for _ in range(1_000):  # the signal may come later than an answer
                await backend.search(ask("ledger"))
                await asyncio.sleep(0.01)

        with pytest.raises(SearchUnavailable, match=r"^Postgres: .* \[lost: True\]\.$"):
            await until_it_ends()
        await backend.close()

    asyncio.run(main())


def test_a_frozen_server_costs_the_budget_and_opening_again_mends_it(tmp_path: Path) -> None:
    options = Options(home=tmp_path, embedder="none", connections=2)

    async def main() -> None:
        backend = await open_backend(options)
        await backend.upsert([node("a", "ledger")])
        await asyncio.gather(*(backend.search(ask("ledger")) for _ in range(8)))
        pid = int(places(options).pid_file.read_text(encoding="utf-8").split()[0])
        for each in (pid, *guard.children(pid)):
            os.kill(each, signal.SIGSTOP)
        began = monotonic()
        for _ in range(4):
            with pytest.raises((SearchUnavailable, TimeoutError)):
                await backend.search(ask("ledger", budget=0.05))
        assert monotonic() - began < 30, "each ends by itself, long before anybody gives up"
        await backend.close()

        backend = await open_backend(options)

        assert set(await backend.snapshot()) <= {"user\x1fa"}
        await backend.close()

    asyncio.run(main())


def test_a_dropped_extension_is_told_and_opening_again_brings_it_back(
    opened: Any, until: Any, postgres: EmbeddedServer
) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "automobile"), node("b", "ledger")])
            await until(backend, embedded)
            await sql(postgres, "drop extension vector cascade")

            with pytest.raises(SearchUnavailable):
                await backend.search(ask("car"))

        async with opened(keep=True) as backend:
            assert len(await backend.snapshot()) == 2
            await until(backend, embedded)
            assert (await backend.search(ask("car"))).hits[0].id == "a"

    asyncio.run(main())


def test_dropped_tables_are_told_and_opening_again_makes_them(opened: Any, postgres: EmbeddedServer) -> None:
    async def main() -> None:
        async with opened(embedder="none") as backend:
            await backend.upsert([node("a", "ledger")])
            await sql(postgres, "drop schema tried cascade")

            with pytest.raises(SearchUnavailable):
                await backend.search(ask("ledger"))
            with pytest.raises(SearchUnavailable):
                await backend.upsert([node("b", "ledger")])
            with pytest.raises(SearchUnavailable):
                await backend.health()

        async with opened(embedder="none", keep=True) as backend:
            assert await backend.snapshot() == {}

    asyncio.run(main())


@pytest.mark.parametrize(
    "damage",
    [
        "drop table tried.chunk",
        "drop table tried.note",
        "drop table tried.document",
        "alter table tried.chunk drop column words",
        "alter table tried.chunk drop column heading",
        "alter table tried.chunk drop constraint chunk_key_ordinal_key",
        "alter table tried.migration rename number to version",
    ],
)
def test_of_tables_that_somebody_dropped_a_part_of_opening_again_makes_all_anew(
    opened: Any, until: Any, postgres: EmbeddedServer, tmp_path: Path, damage: str
) -> None:
    async def main() -> None:
        async with opened(home=tmp_path) as backend:
            await backend.upsert([node("a", "automobile")])
            await until(backend, embedded)
            await sql(postgres, damage)

        async with opened(keep=True, home=tmp_path) as backend:
            await backend.upsert([node("a", "automobile"), node("b", "ledger")])
            await until(backend, embedded)
            assert set(await backend.snapshot()) == {"user\x1fa", "user\x1fb"}
            assert (await backend.search(ask("car"))).hits[0].id == "a"

    asyncio.run(main())


def test_tables_of_our_names_that_we_did_not_make_are_left_alone_and_told(
    opened: Any, postgres: EmbeddedServer
) -> None:
    async def main() -> None:
        await sql(postgres, "drop schema if exists tried cascade", "create schema tried")
        await sql(postgres, "create table tried.chunk as select 42 as answer")

        with pytest.raises(KgError, match=r'schema tried .*"chunk" already exists.* a schema of its own'):
            async with opened(keep=True):
                pass

        await sql(postgres, "insert into tried.chunk values (43)", "drop table tried.chunk")
        async with opened(keep=True) as backend:
            assert await backend.snapshot() == {}

    asyncio.run(main())


@pytest.mark.parametrize("theirs", ["migration (number int)", "migration (version int)", "owner (id int, name text)"])
def test_tables_of_another_program_that_counts_its_migrations_too_are_left_alone_and_told(
    opened: Any, postgres: EmbeddedServer, tmp_path: Path, theirs: str
) -> None:
    async def main() -> None:
        await sql(postgres, "drop schema if exists tried cascade", "create schema tried")
        await sql(postgres, f"create table tried.{theirs}", f"insert into tried.{theirs.split()[0]} values (42)")
        await sql(postgres, "create table tried.note as select 42 as answer")

        with pytest.raises(KgError, match=r"schema tried .*nobody notes down as kg's.* a schema of its own"):
            async with opened(keep=True, home=tmp_path):
                pass

        await sql(postgres, "insert into tried.note values (43)", f"insert into tried.{theirs.split()[0]} values (43)")

    asyncio.run(main())


def test_without_the_extension_it_searches_by_words_and_says_why(postgres: EmbeddedServer, endpoint: Any) -> None:
    async def main() -> None:
        await sql(
            postgres,
            "drop database if exists bare",
            "create database bare",
            "drop role if exists plain",
            "create role plain login",
        )
        bare = psycopg.conninfo.make_conninfo(postgres.dsn, dbname="bare")
        async with await psycopg.AsyncConnection.connect(bare, autocommit=True) as connection:
            await connection.execute("create schema kg authorization plain")
        dsn = psycopg.conninfo.make_conninfo(bare, user="plain")

        backend = await open_backend(Options(dsn=dsn, embedder="openai", url=endpoint.url, model="stand-in"))
        await backend.upsert([node("a", "the car")])
        found = await backend.search(ask("car"))
        health = await backend.health()
        await backend.close()

        assert [hit.id for hit in found.hits] == ["a"]
        assert "pgvector" in found.degraded
        assert "pgvector" in str(health["problem"])

    asyncio.run(main())


def test_names_are_looked_up_in_no_schema_but_ours_and_those_of_the_extension_and_the_language(
    postgres: EmbeddedServer, endpoint: Any, until: Any
) -> None:
    others = psycopg.conninfo.make_conninfo(postgres.dsn, dbname="others")
    options = {"embedder": "openai", "url": endpoint.url, "model": "stand-in", "language": "plain"}

    async def main() -> None:
        await sql(postgres, "drop database if exists others", "create database others")
        async with await psycopg.AsyncConnection.connect(others, autocommit=True) as connection:
            for statement in (
                b"create schema extensions",
                b"create extension vector schema extensions",
                b"create schema languages",
                b"create text search configuration languages.plain (copy = simple)",
                b"create table public.chunk (id int, key text)",
                b"insert into public.chunk values (1, 'user\x1fa')",
            ):
                await connection.execute(statement)
            backend = await open_backend(Options(dsn=others, **options))
            await backend.upsert([node("a", "automobile"), node("b", "ledger")])
            await until(backend, embedded)
            assert (await backend.search(ask("car", budget=10.0))).hits[0].id == "a"
            await connection.execute("drop table kg.chunk")

            with pytest.raises(SearchUnavailable):
                await backend.remove(["user\x1fa"])

            await backend.close()
            assert await (await connection.execute("select count(*) from public.chunk")).fetchone() == (1,)

    asyncio.run(main())


def test_a_crowd_is_answered(opened: Any, until: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node(f"n{number}", f"the car of {number}") for number in range(64)])
            await until(backend, embedded)

            found = await asyncio.gather(*(backend.search(ask(f"car {n}", budget=60.0, limit=64)) for n in range(64)))

            first = [[hit.id for hit in each.hits if hit.ranks.get("lexical") == 1] for each in found]
            assert first == [[f"n{number}"] for number in range(64)]

    asyncio.run(main())


def test_several_that_open_at_once_make_the_tables_once(postgres: EmbeddedServer) -> None:
    async def main() -> None:
        await sql(postgres, "drop schema if exists crowd cascade")
        options = Options(dsn=postgres.dsn, schema="crowd", embedder="none")

        backends = await asyncio.gather(*(open_backend(options) for _ in range(6)))

        await backends[0].upsert([node("a", "ledger")])
        assert [hit.id for hit in (await backends[5].search(ask("ledger"))).hits] == ["a"]
        await asyncio.gather(*(backend.close() for backend in backends))

    asyncio.run(main())


def test_a_postgres_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    options = Options(dsn=f"host={tmp_path} user=nobody dbname=none", embedder="none")

    with pytest.raises(SearchUnavailable, match="Postgres"):
        asyncio.run(open_backend(options))


def test_a_language_that_postgres_does_not_know_is_named(postgres: EmbeddedServer) -> None:
    with pytest.raises(Exception, match="language"):
        asyncio.run(open_backend(Options(dsn=postgres.dsn, schema="tried", language="klingon", embedder="none")))


@pytest.mark.parametrize("writing", ["upsert", "remove"])
def test_a_write_and_what_embeds_do_not_wait_for_each_other(
    opened: Any, until: Any, endpoint: Any, postgres: EmbeddedServer, writing: str
) -> None:
    """Both take the same rows, and somebody holds one of them until each has got some."""
    names = ("a", "m", "z")

    async def waiting(connection: Any, count: int) -> None:
        for _ in range(1_500):
            (found,) = await (await connection.execute("select count(*) from pg_locks where not granted")).fetchone()
            if found >= count:
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"{count} never waited")

    async def main() -> None:
        connect = psycopg.AsyncConnection.connect
        async with opened() as backend, await connect(postgres.dsn) as holder, await connect(postgres.dsn) as looking:
            await looking.set_autocommit(True)
            endpoint.open.clear()
            await backend.upsert([node(name, f"the car {name}") for name in names])
            await until(backend, lambda _: bool(endpoint.texts))
            await holder.execute("select from tried.chunk where key = 'user\x1fm' for update")
            endpoint.open.set()
            await waiting(looking, 1)
            items = [node(name, f"the car {name}", tier="archived") for name in reversed(names)]
            keys = [f"user\x1f{name}" for name in reversed(names)]
            write = asyncio.create_task(backend.upsert(items) if writing == "upsert" else backend.remove(keys))
            await waiting(looking, 2)
            await holder.rollback()

            await write

            health = await until(backend, lambda health: not health["lag"])
            assert "problem" not in health

    asyncio.run(main())
