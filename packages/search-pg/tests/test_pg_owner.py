"""Memories that name one schema: the first has it, and the others are told and change nothing."""

from __future__ import annotations

import asyncio
import os
import shutil
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import kg_search_pg
from kg_plugin_api import KgError, SearchItem, SearchUnavailable
from kg_search_pg.desk import Desk
from kg_search_pg.opening import open_backend
from kg_search_pg.options import Options
from kg_search_pg.owner import Owner

if TYPE_CHECKING:
    from pathlib import Path

    from kg_search_pg.embedded import EmbeddedServer

SCHEMA = "owned"
ITEM = SearchItem(key="user\x1fa", graph="user", id="a", gist="the harbour closes", hash="a")


@pytest.fixture(autouse=True)
def emptied(postgres: EmbeddedServer) -> None:
    execute(postgres, f"drop schema if exists {SCHEMA} cascade")


def execute(postgres: EmbeddedServer, statement: str) -> None:
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


async def kept(postgres: EmbeddedServer, home: Path, *items: SearchItem) -> dict[str, str]:
    """What is indexed once this memory has opened the schema and added these."""
    backend = await open_backend(Options(dsn=postgres.dsn, schema=SCHEMA, embedder="none", home=home))
    try:
        await backend.upsert(items)
        return dict(await backend.snapshot())
    finally:
        await backend.close()


def test_a_second_memory_is_refused_and_the_first_keeps_all_wherever_it_is_moved(
    tmp_path: Path, postgres: EmbeddedServer
) -> None:
    first, second, moved = (tmp_path / name for name in ("first", "second", "moved"))

    async def main() -> None:
        await kept(postgres, first, ITEM)
        with pytest.raises(KgError, match=rf"schema {SCHEMA} .* another memory, {first} on .*a schema of its own"):
            await kept(postgres, second)
        first.rename(moved)
        assert await kept(postgres, moved) == {ITEM.key: "a"}
        with pytest.raises(KgError, match=f"another memory, {moved} on "):
            await kept(postgres, second)

    asyncio.run(main())


def test_a_copy_of_a_memory_is_refused_and_takes_nothing_from_the_one_that_it_was_made_of(
    tmp_path: Path, postgres: EmbeddedServer
) -> None:
    first, copied, linked = (tmp_path / name for name in ("first", "copied", "linked"))

    async def main() -> None:
        await kept(postgres, first, ITEM)
        shutil.copytree(first, copied)
        with pytest.raises(KgError, match=rf"index of {first} on .* is a copy of .* a schema of its own .* or delete"):
            await kept(postgres, copied)
        linked.symlink_to(first)
        assert await kept(postgres, linked) == {ITEM.key: "a"}  # the same one by another name
        shutil.rmtree(first)
        assert await kept(postgres, copied) == {ITEM.key: "a"}

    asyncio.run(main())


def test_an_index_that_names_no_memory_is_taken_by_the_first_that_comes(
    tmp_path: Path, postgres: EmbeddedServer
) -> None:
    async def main() -> None:
        await kept(postgres, tmp_path / "first", ITEM)
        execute(postgres, f"drop table {SCHEMA}.owner")

        assert await kept(postgres, tmp_path / "second") == {ITEM.key: "a"}
        with pytest.raises(KgError, match="another memory"):
            await kept(postgres, tmp_path / "first")

    asyncio.run(main())


@pytest.mark.parametrize("gone", [f"drop table {SCHEMA}.owner", f"delete from {SCHEMA}.owner"])
def test_a_memory_in_use_notices_that_its_index_was_handed_over_and_takes_nothing_from_the_other(
    tmp_path: Path, postgres: EmbeddedServer, gone: str
) -> None:
    async def main() -> None:
        options = Options(dsn=postgres.dsn, schema=SCHEMA, embedder="none", home=tmp_path / "first")
        first = await open_backend(options)
        await first.upsert([ITEM])
        execute(postgres, gone)

        for use in (lambda: first.upsert([ITEM]), lambda: first.remove([ITEM.key]), first.snapshot, first.health):
            with pytest.raises(SearchUnavailable, match="handed over"):
                await use()

        await first.close()
        assert await kept(postgres, tmp_path / "first") == {ITEM.key: "a"}  # nobody had come
        execute(postgres, gone)
        assert await kept(postgres, tmp_path / "second") == {ITEM.key: "a"}
        with pytest.raises(KgError, match="another memory"):
            await kept(postgres, tmp_path / "first")

    asyncio.run(main())


def test_of_several_that_come_at_once_one_has_it(tmp_path: Path, postgres: EmbeddedServer) -> None:
    async def main() -> list[Any]:
        comers = (kept(postgres, tmp_path / f"memory-{number % 3}", ITEM) for number in range(6))
        return await asyncio.gather(*comers, return_exceptions=True)

    came = asyncio.run(main())

    assert sum(isinstance(each, KgError) for each in came) == 4, came
    assert sum(each == {ITEM.key: "a"} for each in came) == 2, came


def test_an_index_that_is_dropped_stays_its_memorys(
    tmp_path: Path, postgres: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kg_search_pg, "_DESK", Desk())
    options = {"dsn": postgres.dsn, "schema": SCHEMA, "embedder": "none"}

    async def main() -> None:
        backend = await kg_search_pg.PG.open({**options, "home": str(tmp_path / "first")})
        await told("reindex")
        await backend.close()

        with pytest.raises(KgError, match="another memory"):
            await kept(postgres, tmp_path / "second")
        assert await kept(postgres, tmp_path / "first") == {}

    asyncio.run(main())


async def told(name: str) -> Any:
    return await next(each for each in kg_search_pg.kg_operations() if each.name == name).run({})


def test_status_doctor_and_setup_say_what_is_wrong_and_what_to_do(
    tmp_path: Path, postgres: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kg_search_pg, "_DESK", Desk())
    options = {"dsn": postgres.dsn, "schema": SCHEMA, "embedder": "none"}
    wrong = r"another memory, .*`schema` under \[search.options\]"

    async def main() -> None:
        await kept(postgres, tmp_path / "first", ITEM)
        with pytest.raises(KgError, match=wrong):
            await kg_search_pg.PG.open({**options, "home": str(tmp_path / "second")})

        with pytest.raises(KgError, match=wrong):
            await told("status")
        (finding,) = (await told("doctor"))["findings"]
        assert finding["level"] == "problem"
        assert "another memory" in finding["sentence"]
        own = await kg_search_pg.PG.open({**options, "home": str(tmp_path / "first")})
        assert (await told("status"))["rows"] > 0
        await own.close()

    asyncio.run(main())
    assert kg_search_pg.PG.wiring is not None
    with pytest.raises(KgError, match=wrong):
        kg_search_pg.PG.wiring.steps(tmp_path / "second", options)[0].take(print)


def test_a_memory_has_its_name_on_a_file_system_without_links_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError("told to")

    monkeypatch.setattr(os, "link", refused)

    assert Owner.of(tmp_path) == Owner.of(tmp_path)
    assert [each.name for each in (tmp_path / "state").iterdir()] == ["search-owner"]


def test_a_memory_whose_name_is_damaged_or_cannot_be_kept_is_told_which_file_it_is(tmp_path: Path) -> None:
    file = tmp_path / "state" / "search-owner"
    named = Owner.of(tmp_path)
    assert Owner.of(tmp_path) == named
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o777 == 0o600

    file.write_bytes(b"\xff")
    with pytest.raises(KgError, match=r"search-owner does not tell .* Delete it"):
        Owner.of(tmp_path)
    file.unlink()
    file.mkdir()
    with pytest.raises(KgError, match=r"search-owner.* cannot be kept"):
        Owner.of(tmp_path)
