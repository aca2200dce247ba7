"""Contexts: registered, found again after a restart, aged, and kept in a log that tolerates anything."""

from __future__ import annotations

import asyncio
import resource
from typing import TYPE_CHECKING, Protocol

import pytest

from kg_core.render.block import Mark, MarkKind
from kg_server.contexts import CAPACITY, LIFE, ContextKey, Registry
from kg_server.linelog import LineLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAIN = ContextKey("claude", "s-1")
SUB = ContextKey("claude", "s-1", "agent-7")
NOW = 1_800_000_000_000
SEEN = Mark(MarkKind.SEEN, "user", "one", "v1")


class Open(Protocol):
    def __call__(self, path: Path, *, now: int = NOW, sequence: int = 100) -> Registry: ...


@pytest.fixture
def registry() -> Iterator[Open]:
    """Opens registries, and closes them all in the end."""
    opened: list[Registry] = []

    def open_one(path: Path, *, now: int = NOW, sequence: int = 100) -> Registry:
        found = Registry(LineLog(path))
        opened.append(found)
        found.restore(now, sequence)
        return found

    yield open_one
    for found in opened:
        found.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "state" / "contexts.jsonl"


def test_an_id_is_short_and_the_same_for_the_same_session(registry: Open, log: Path, tmp_path: Path) -> None:
    first = registry(log).open(MAIN, now=NOW, sequence=0)
    elsewhere = registry(tmp_path / "other.jsonl").open(MAIN, now=NOW, sequence=0)
    assert first.id == elsewhere.id
    assert len(first.id) == 8
    assert first.id.isalnum()


def test_a_subagent_is_a_context_of_its_own(registry: Open, log: Path) -> None:
    contexts = registry(log)
    assert contexts.open(MAIN, now=NOW, sequence=0).id != contexts.open(SUB, now=NOW, sequence=0).id


def test_opening_a_session_anew_gives_a_new_id_and_ends_the_old_context(registry: Open, log: Path) -> None:
    contexts = registry(log)
    old = contexts.open(MAIN, now=NOW, sequence=0)
    new = contexts.open(MAIN, now=NOW, sequence=0)
    assert new.id != old.id
    assert contexts.get(old.id) is None
    assert contexts.find(MAIN) == new
    newest = contexts.open(MAIN, now=NOW + 1, sequence=0)
    assert newest.id not in {old.id, new.id}


def test_a_project_is_decided_once(registry: Open, log: Path) -> None:
    contexts = registry(log)
    context = contexts.open(MAIN, now=NOW, sequence=0)
    contexts.place(context.id, "/code/shop", "project:shop")
    placed = contexts.place(context.id, "/code/other", "project:other")
    assert (placed.project, placed.cwd) == ("project:shop", "/code/shop")


def test_everything_survives_a_restart(registry: Open, log: Path) -> None:
    contexts = registry(log)
    context = contexts.open(MAIN, now=NOW, sequence=7)
    contexts.place(context.id, "/code/shop", "project:shop")
    contexts.learn(context.id, [SEEN, Mark(MarkKind.PRELOADED, "")], NOW + 1)
    contexts.set_maintenance(context.id)
    contexts.open(SUB, now=NOW, sequence=7)
    before = contexts.find(MAIN)
    contexts.close()
    again = registry(log)
    assert again.find(MAIN) == before
    assert len(again) == 2


def test_everything_survives_a_rewrite_of_the_log(registry: Open, log: Path) -> None:
    contexts = registry(log)
    context = contexts.open(MAIN, now=NOW, sequence=7)
    contexts.learn(context.id, [SEEN, Mark(MarkKind.READ, "user", "two", "v9")], NOW + 1)
    asyncio.run(contexts.compact(always=True))
    contexts.learn(context.id, [Mark(MarkKind.FULL, "user")], NOW + 2)
    contexts.close()
    assert registry(log).find(MAIN) == contexts.find(MAIN)
    assert sorted(path.name for path in log.parent.iterdir()) == [log.name]


def test_what_is_learned_while_the_log_is_rewritten_is_kept(registry: Open, log: Path) -> None:
    contexts = registry(log)
    ids = [contexts.open(ContextKey("codex", f"s-{n}"), now=NOW, sequence=0).id for n in range(100)]

    async def main() -> None:
        rewriting = asyncio.create_task(contexts.compact(always=True))
        await asyncio.sleep(0)
        contexts.learn(ids[0], [SEEN], NOW + 1)
        await rewriting

    asyncio.run(main())
    contexts.close()
    again = registry(log)
    assert again.get(ids[0]) == contexts.get(ids[0])
    assert len(again) == 100


def test_what_earlier_servers_left_in_the_log_counts_as_growth(
    registry: Open, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_server.linelog._GROWTH_BEFORE_REWRITE", 2_000)
    killed = registry(log)
    context = killed.open(MAIN, now=NOW, sequence=0)
    for number in range(100):
        killed.learn(context.id, [SEEN], NOW + number)
    grown = log.stat().st_size

    again = registry(log)
    asyncio.run(again.compact())

    assert log.stat().st_size < grown / 10
    assert again.find(MAIN) == killed.find(MAIN)


def test_a_rewrite_leaves_out_what_was_said_of_nodes_that_are_gone(registry: Open, log: Path) -> None:
    contexts = registry(log)
    context = contexts.open(MAIN, now=NOW, sequence=0)
    contexts.learn(context.id, [SEEN, Mark(MarkKind.READ, "user", "two", "v9"), Mark(MarkKind.FULL, "user")], NOW)

    asyncio.run(contexts.compact(lambda graph, node_id: (graph, node_id) == ("user", "one"), always=True))

    again = registry(log).find(MAIN)
    assert again is not None
    assert again == contexts.find(MAIN)
    assert list(again.ledger.nodes) == [("user", "two")]
    assert again.ledger.full == {"user"}


def test_a_damaged_line_costs_that_line(registry: Open, log: Path) -> None:
    contexts = registry(log)
    context = contexts.open(MAIN, now=NOW, sequence=0)
    contexts.close()
    with log.open("ab") as file:
        file.write(b'\xff\xfe{"op":\n[1]\n{"op":"marks","id":"nobody","at":1,"marks":[]}\n')
        file.write(b'{"op":"marks","id":"' + context.id.encode() + b'","at":1,"marks":[["no-kind","","",""]]}\n')
        for odd in (b"1e999", b"NaN"):
            file.write(b'{"op":"used","id":"' + context.id.encode() + b'","at":' + odd + b"}\n")
        file.write(b'{"op":"what","id":"' + context.id.encode() + b'"}\n{"op":"reset"')
    again = registry(log)
    assert again.find(MAIN) == context


def test_half_a_line_that_a_crash_left_does_not_cost_the_next_one(registry: Open, log: Path) -> None:
    registry(log).open(MAIN, now=NOW, sequence=0)
    log.write_bytes(log.read_bytes()[:40])
    context = registry(log).open(MAIN, now=NOW, sequence=0)

    assert registry(log).find(MAIN) == context


def test_half_a_line_that_a_full_disk_left_does_not_cost_the_next_one(registry: Open, log: Path) -> None:
    contexts = registry(log)
    context = contexts.open(MAIN, now=NOW, sequence=0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 10, before[1]))
    try:
        contexts.learn(context.id, [Mark(MarkKind.SEEN, "user", "lost", "v1")], NOW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert contexts.problem
    contexts.learn(context.id, [SEEN], NOW)

    known = registry(log).find(MAIN)
    assert known is not None
    assert [node_id for _, node_id in known.ledger.nodes] == ["one"]
    assert not contexts.problem


def test_a_log_that_cannot_be_written_stops_nothing(registry: Open, tmp_path: Path) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("a file where the folder should be", encoding="utf-8")
    contexts = registry(blocked / "contexts.jsonl")
    context = contexts.open(MAIN, now=NOW, sequence=0)
    contexts.learn(context.id, [SEEN], NOW)
    asyncio.run(contexts.compact(always=True))
    assert contexts.find(MAIN) is not None
    assert str(blocked) in contexts.problem


def test_a_context_ends_24_hours_after_its_last_use(registry: Open, log: Path) -> None:
    contexts = registry(log)
    contexts.open(MAIN, now=NOW, sequence=0)
    used = contexts.open(SUB, now=NOW, sequence=0)
    contexts.touch(used.id, NOW + LIFE)
    contexts.sweep(NOW + LIFE + 1)
    assert contexts.find(MAIN) is None
    assert contexts.find(SUB) is not None
    contexts.close()
    assert len(registry(log, now=NOW + LIFE + 1)) == 1


def test_the_longest_unused_contexts_make_room(registry: Open, log: Path) -> None:
    contexts = registry(log)
    for number in range(CAPACITY + 5):
        contexts.open(ContextKey("codex", f"s-{number}"), now=NOW + number, sequence=0)
    contexts.sweep(NOW + CAPACITY + 5)
    assert len(contexts) == CAPACITY
    assert contexts.find(ContextKey("codex", "s-0")) is None
    assert contexts.find(ContextKey("codex", f"s-{CAPACITY + 4}")) is not None


def test_where_there_is_no_more_room_what_has_ended_goes_before_what_is_merely_older(registry: Open, log: Path) -> None:
    contexts = registry(log)
    ids = [contexts.open(ContextKey("codex", f"s-{n}"), now=NOW + n, sequence=0).id for n in range(CAPACITY)]
    contexts.end(ids[-1])
    contexts.open(MAIN, now=NOW + CAPACITY, sequence=0)
    contexts.sweep(NOW + CAPACITY)
    assert len(contexts) == CAPACITY
    assert contexts.get(ids[0]) is not None
    assert contexts.get(ids[-1]) is None


def test_an_end_survives_a_restart_and_so_does_the_use_that_follows_it(registry: Open, log: Path) -> None:
    contexts = registry(log)
    first, second = (contexts.open(ContextKey("codex", name), now=NOW, sequence=0).id for name in ("s-1", "s-2"))
    for context in (first, second):
        contexts.end(context)
    contexts.touch(second, NOW + 1)
    contexts.close()
    again = registry(log)
    assert [again.get(context).ended for context in (first, second)] == [True, False]
    asyncio.run(again.compact(always=True))
    again.close()
    assert [registry(log).get(context).ended for context in (first, second)] == [True, False]


def test_a_context_of_another_memory_is_not_taken_over(registry: Open, log: Path) -> None:
    contexts = registry(log)
    contexts.open(MAIN, now=NOW, sequence=90)
    contexts.close()
    assert len(registry(log, sequence=3)) == 0


def test_marks_for_a_context_that_is_gone_are_dropped(registry: Open, log: Path) -> None:
    contexts = registry(log)
    contexts.learn("nobody00", [SEEN], NOW)
    contexts.close()

    assert len(contexts) == 0
    assert len(registry(log)) == 0


def test_a_context_of_before_the_clock_was_set_back_ages_from_then_on(registry: Open, log: Path) -> None:
    contexts = registry(log)
    ahead = contexts.open(MAIN, now=NOW + 365 * LIFE, sequence=0)
    contexts.sweep(NOW)
    assert contexts.knows(ahead.id)

    contexts.sweep(NOW + LIFE + 1)

    assert not contexts.knows(ahead.id)


@pytest.mark.parametrize("is_moved", [True, False])
def test_a_log_that_is_taken_away_is_written_anew_with_all_that_is_known(
    registry: Open, log: Path, is_moved: bool
) -> None:
    contexts = registry(log)
    kept = contexts.open(MAIN, now=NOW, sequence=0)
    if is_moved:
        log.parent.rename(log.parent.with_name("elsewhere"))
    else:
        log.unlink()

    asyncio.run(contexts.compact())

    contexts.learn(kept.id, [SEEN], NOW)
    contexts.close()
    assert registry(log).find(MAIN) == contexts.find(MAIN)
    asyncio.run(contexts.compact())
