"""A journal that somebody empties, cuts or brings while the memory is served or not: it is told, and made up for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from kg_plugin_api import Code, KgError

USER = "user"


def segments(home):
    return sorted(path for path in home.journal.iterdir() if path.suffix == ".jsonl")


def emptied(path):
    path.write_bytes(b"")


def cut_in_its_first_line(path):
    path.write_bytes(path.read_bytes()[:30])


def zeroed(path):
    path.write_bytes(b"\0" * path.stat().st_size)


@pytest.mark.parametrize("harm", [emptied, cut_in_its_first_line, zeroed])
def test_a_segment_in_which_no_write_can_be_read_is_told_once_and_kept(home, stores, values, harm):
    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("in-the-file")))
        await store.snapshot()
        seen = store.sequence
        await store.commit(values.put(values.node("in-the-journal-alone")))
        await stores.killed(store)
        (segment,) = segments(home)
        harm(segment)
        harmed = segment.read_bytes()

        store = await stores.served(home)

        assert set(store.durable(USER).nodes) == {"in-the-file"}
        (problem,) = store.problems()
        assert problem.kind == "damaged"
        assert "what was saved last and is not in the files of the memory is lost" in problem.sentence
        (kept,) = [path for path in home.journal.iterdir() if ".corrupt-" in path.name]
        assert kept.name in problem.sentence
        assert kept.read_bytes() == harmed
        assert store.sequence > seen + 1
        assert store.since(seen) is None
        assert store.since(store.sequence) == ()
        await store.commit(values.put(values.node("later")))
        await stores.killed(store)
        store = await stores.served(home)
        assert set(store.durable(USER).nodes) == {"in-the-file", "later"}
        assert store.problems() == ()
        await store.close()

    asyncio.run(main())


def test_a_segment_that_was_rewritten_for_its_damage_is_not_taken_for_one_that_was_cut(home, stores, values):
    async def main():
        store = await stores.served(home)
        for name in ("one", "two", "three"):
            await store.commit(values.put(values.node(name)))
        await stores.killed(store)
        (segment,) = segments(home)
        segment.write_bytes(segment.read_bytes().replace(b"the gist of two", b"the jest of two"))
        store = await stores.served(home)
        held = segment.read_bytes()

        await store.look()

        assert segment.read_bytes().startswith(held)
        assert "two" not in store.durable(USER).nodes
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("left", [0, 100])
def test_a_segment_that_is_cut_while_it_is_open_costs_no_write(home, stores, values, left):
    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("before")))
        (segment,) = segments(home)
        segment.write_bytes(segment.read_bytes()[:left])

        await store.look()

        assert "before" in json.loads(home.graph(USER).read_text("utf-8"))["nodes"]
        assert segment not in segments(home)
        await store.commit(values.put(values.node("after")))
        await stores.killed(store)
        store = await stores.served(home)
        assert set(store.durable(USER).nodes) == {"before", "after"}
        assert store.problems() == ()
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("harm", [emptied, Path.unlink])
def test_nothing_is_missing_after_one_of_several_segments_was_made_up_for(home, stores, values, monkeypatch, harm):
    monkeypatch.setattr("kg_core.store.journal.SEGMENT_BYTES", 300)

    async def main():
        store = await stores.served(home)
        for number in range(6):
            await store.commit(values.put(values.node(f"n{number}")))
        assert len(segments(home)) > 4
        harm(segments(home)[2])

        await store.look()

        await store.commit(values.put(values.node("after")))
        await stores.killed(store)
        store = await stores.served(home)
        assert set(store.durable(USER).nodes) == {*(f"n{number}" for number in range(6)), "after"}
        assert store.problems() == ()
        await store.close()

    asyncio.run(main())


def test_what_is_written_to_a_journal_that_was_just_cut_is_there_after_a_kill(home, stores, values):
    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("before")))
        (segment,) = segments(home)
        segment.write_bytes(b"")

        await store.commit(values.put(values.node("after")))

        await stores.killed(store)
        store = await stores.served(home)
        assert set(store.durable(USER).nodes) == {"after"}
        assert any("is lost" in problem.sentence for problem in store.problems())
        await store.close()

    asyncio.run(main())


def test_a_journal_that_is_cut_while_it_is_written_to_fails_the_write_and_is_not_filled_up(
    home, stores, values, monkeypatch
):
    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("before", "x" * 500)))
        (segment,) = segments(home)
        handle = store._journal._open
        append = type(handle).append

        def interrupted(self, data):
            monkeypatch.undo()
            segment.write_bytes(b"")
            append(self, data)

        monkeypatch.setattr(type(handle), "append", interrupted)
        with pytest.raises(KgError, match="Not saved"):
            await store.commit(values.put(values.node("during")))
        assert b"\0" not in segment.read_bytes()
        await store.look()
        await store.commit(values.put(values.node("after")))
        await stores.killed(store)
        store = await stores.served(home)
        assert {"before", "after"} <= set(store.durable(USER).nodes)
        await store.close()

    asyncio.run(main())


def test_a_journal_that_comes_after_the_start_is_not_written_over(home, stores, values):
    """As that of a memory on a disk which was not there yet."""

    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("theirs")))
        await stores.killed(store)
        journal, elsewhere = home.journal, home.root / "elsewhere"
        journal.rename(elsewhere)
        late = await stores.served(home)
        journal.rmdir()
        elsewhere.rename(journal)
        before = {path.name: path.read_bytes() for path in segments(home)}

        with pytest.raises(KgError) as refused:
            await late.commit(values.put(values.node("late")))

        assert refused.value.code is Code.CONFLICT
        assert {path.name: path.read_bytes() for path in segments(home)} == before
        await late.close()
        store = await stores.served(home)
        assert set(store.durable(USER).nodes) == {"theirs"}
        await store.close()

    asyncio.run(main())
