"""Questions that nothing answered: written down only where that is wanted, within bounds, and without secrets."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

import kg_search_pg
from kg_plugin_api import KgError, SearchHit, SearchItem, SearchRequest
from kg_search_pg.desk import Desk
from kg_search_pg.misses import LARGEST, Misses, is_miss
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2-" + "correct-horse"


class Lender:
    def without_secrets(self, text: str) -> str:
        return text.replace(SECRET, "[secret:password]")

    def graph(self, _: str) -> str:
        return "user"


def ask(text: str, **more: Any) -> SearchRequest:
    return SearchRequest(text=text, graphs=("user",), **more)


def written(home: Path) -> list[Any]:
    file = home / "state" / "search-misses.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


@pytest.mark.parametrize("options", [{}, {"misses": False}])
def test_nothing_is_written_down_unless_somebody_asked_for_it(
    opened: Any, tmp_path: Path, options: dict[str, bool]
) -> None:
    async def main() -> None:
        async with opened(host=Lender(), home=tmp_path, embedder="none", **options) as backend:
            await backend.search(ask("walnut", budget=10.0))

    asyncio.run(main())

    assert not (tmp_path / "state" / "search-misses.jsonl").exists()


def test_a_question_that_nothing_answered_is_written_down_without_secrets_and_no_prompt_is(
    opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with opened(host=Lender(), home=tmp_path, embedder="none", misses=True) as backend:
            item = SearchItem(key="user\x1fa", graph="user", id="a", gist="the harbour closes", hash="a")
            await backend.upsert([item])
            await backend.search(ask("harbour", budget=10.0))
            await backend.search(ask("walnut", budget=10.0, is_prompt=True))
            await backend.search(ask(" ", budget=10.0))
            await backend.search(ask(f"walnut {SECRET}", budget=10.0))
            await backend.search(ask("x" * 390 + SECRET, budget=10.0))
            monkeypatch.setattr(kg_search_pg, "_DESK", Desk(options=Options(), backend=backend))
            await asyncio.to_thread(backend.misses.close)
            shown = await next(each for each in kg_search_pg.kg_operations() if each.name == "misses").run({})
            assert shown["written_down"]
            assert shown["misses"] == written(tmp_path)[::-1]

    asyncio.run(main())

    first, second = written(tmp_path)
    assert (first["question"], first["graphs"]) == ("walnut [secret:password]", ["user"])
    assert second["question"] == "x" * 390 + "[secret:pa"
    assert (tmp_path / "state" / "search-misses.jsonl").stat().st_mode & 0o777 == 0o600


def test_what_is_near_enough_by_its_meaning_is_an_answer(opened: Any, until: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(host=Lender(), home=tmp_path, misses=True, gate=0.3) as backend:
            items = [
                SearchItem(key=f"user\x1f{gist}", graph="user", id=gist, gist=gist, hash=gist)
                for gist in ("automobile", "kettle")
            ]
            await backend.upsert(items)
            await until(backend, lambda health: health["lag"] == 0)
            for text in ("car", "walnut"):
                assert (await backend.search(ask(text, budget=10.0))).hits

    asyncio.run(main())

    assert [each["question"] for each in written(tmp_path)] == ["walnut"]


def test_the_file_stays_within_its_bound_and_keeps_the_newest(tmp_path: Path) -> None:
    file = tmp_path / "state" / "misses.jsonl"
    misses = Misses(file, lambda text: text)

    for number in range(3_000):
        misses.note(ask(f"{number} " + "x" * 300))
    misses.close()

    assert LARGEST // 3 < file.stat().st_size <= LARGEST
    numbers = [int(each["question"].split()[0]) for each in misses.read(10_000)]
    assert numbers == list(range(2_999, numbers[-1] - 1, -1))
    assert len(misses.read(5)) == 5


@pytest.mark.parametrize("torn", [b'{"at": "2030-01-01T00:00:00Z", "ques', b"\x00" * 40, b"\xff{", b"{}x"])
def test_a_line_that_a_crash_tore_is_skipped_and_takes_no_other_with_it(tmp_path: Path, torn: bytes) -> None:
    file = tmp_path / "state" / "misses.jsonl"
    before = Misses(file, lambda text: text)
    before.note(ask("walnut"))
    before.close()
    with file.open("ab") as crashed:
        crashed.write(torn)
    after = Misses(file, lambda text: text)

    shown = after.read(1)
    after.note(ask("kettle"))
    after.note(ask("harbour"))
    after.close()

    assert [each["question"] for each in shown] == ["walnut"]
    assert [each["question"] for each in after.read(10)] == ["harbour", "kettle", "walnut"]


def test_a_disk_that_takes_nothing_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way", encoding="utf-8")
    misses = Misses(tmp_path / "state" / "misses.jsonl", lambda text: text)

    misses.note(ask("walnut"))
    misses.close()
    misses.note(ask("walnut"))

    assert (tmp_path / "state").read_text(encoding="utf-8") == "in the way"


def test_a_hit_by_words_or_strength_is_no_miss() -> None:
    hit = SearchHit(key="a", graph="user", id="a", score=1.0, ranks={"dense": 1})

    assert is_miss(ask("walnut"), [])
    assert is_miss(ask("walnut"), [hit])
    assert not is_miss(ask("walnut"), [SearchHit(key="a", graph="user", id="a", score=1.0, ranks={"lexical": 9})])
    assert not is_miss(ask("walnut"), [SearchHit(key="a", graph="user", id="a", score=1.0, strength=1.0)])
    assert not is_miss(SearchRequest(text="walnut", graphs=()), [])


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
def test_the_option_is_true_or_false(text: str, value: bool) -> None:
    assert Options.parse({"misses": text}).misses is value
    with pytest.raises(KgError, match="misses: 'yes' is neither true nor false"):
        Options.parse({"misses": "yes"})
