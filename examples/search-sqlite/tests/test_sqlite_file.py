"""What this backend promises beside the contract: its file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kg_plugin_api import Code, KgError, SearchUnavailable
from kg_plugin_testing.search import ask, item
from kg_search_sqlite.backend import SqliteBackend

WORDS = {
    "हिन्दी में": "हिन्दी",
    "ภาษาไทยสวัสดี": "สวัสดี",
    "한국어로 말한다": "한국어",
    "猫が好き": "猫",
    "Ελληνικά κείμενα": "ΕΛΛΗΝΙΚΆ",
    "עברית וערבית": "עברית",
    "snake_case name": "snake_case",
}


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"home": str(tmp_path)}


def file_of(home: dict[str, str]) -> Path:
    return Path(home["home"], "state", "search-sqlite.db")


def test_what_was_indexed_is_there_after_opening_again(home: dict[str, str]) -> None:
    async def main() -> None:
        first = await SqliteBackend.open(home)
        await first.upsert([item("one", "ledger")])
        await first.close()
        second = await SqliteBackend.open(home)
        assert dict(await second.snapshot()) == {"user\x1fone": "one ledger"}
        assert [hit.id for hit in (await second.search(ask("ledger"))).hits] == ["one"]
        await second.close()

    asyncio.run(main())


def test_the_file_is_readable_by_its_owner_alone(home: dict[str, str]) -> None:
    async def main() -> None:
        backend = await SqliteBackend.open(home)
        await backend.upsert([item("one", "ledger")])
        assert {file.stat().st_mode & 0o777 for file in file_of(home).parent.iterdir()} == {0o600}
        await backend.close()

    asyncio.run(main())


def test_a_file_that_is_no_index_is_begun_anew(home: dict[str, str]) -> None:
    file_of(home).parent.mkdir()
    file_of(home).write_bytes(b"not a database at all\n" * 200)

    async def main() -> None:
        backend = await SqliteBackend.open(home)
        assert await backend.snapshot() == {}
        await backend.close()

    asyncio.run(main())


def test_damage_while_it_is_used_is_an_outage_and_gone_with_the_next_opening(home: dict[str, str]) -> None:
    async def main() -> None:
        first = await SqliteBackend.open(home)
        await first.upsert([item(f"n{number}", f"ledger {number}") for number in range(500)])
        await first.close()
        size = file_of(home).stat().st_size
        with file_of(home).open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (size - 4096))
        second = await SqliteBackend.open(home)
        with pytest.raises(SearchUnavailable, match="damaged"):
            await second.snapshot()
        await second.close()
        third = await SqliteBackend.open(home)
        assert await third.snapshot() == {}
        await third.close()

    asyncio.run(main())


def test_a_budget_that_does_not_suffice_ends_in_time(home: dict[str, str]) -> None:
    async def main() -> None:
        backend = await SqliteBackend.open(home)
        await backend.upsert([item(f"n{number}", "ledger harbour kettle") for number in range(3_000)])
        with pytest.raises(TimeoutError):
            await backend.search(ask("ledger harbour kettle", budget=0.0, limit=3_000))
        assert len((await backend.search(ask("ledger", limit=5))).hits) == 5
        await backend.close()

    asyncio.run(main())


@pytest.mark.parametrize("text", WORDS)
def test_a_word_of_any_script_is_found(home: dict[str, str], text: str) -> None:
    async def main() -> None:
        backend = await SqliteBackend.open(home)
        await backend.upsert([item("other", "nothing of it"), item("one", text)])
        assert [hit.id for hit in (await backend.search(ask(WORDS[text]))).hits] == ["one"]
        await backend.close()

    asyncio.run(main())


def test_an_option_that_it_does_not_have_is_refused(home: dict[str, str]) -> None:
    with pytest.raises(KgError, match="no option colour") as refused:
        asyncio.run(SqliteBackend.open({**home, "colour": "red"}))

    assert refused.value.code is Code.INVALID


def test_a_place_where_no_file_can_be_is_an_outage(home: dict[str, str]) -> None:
    file_of(home).mkdir(parents=True)

    with pytest.raises(SearchUnavailable, match=r"search-sqlite\.db"):
        asyncio.run(SqliteBackend.open(home))
