"""Folders of ours that somebody removes or moves while the memory is served."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from kg_plugin_api import Code, KgError

USER = "user"


def gone(folder):
    shutil.rmtree(folder)


def moved(folder):
    folder.rename(folder.with_name(folder.name + " elsewhere"))


@pytest.mark.parametrize("lost", [gone, moved])
@pytest.mark.parametrize("name", ["journal", "memory", "root"])
def test_a_write_after_the_folder_went_is_there_after_a_kill(home, stores, values, lost, name):
    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("before")))
        lost(getattr(home, name))
        await store.commit(values.put(values.node("after")))
        await stores.killed(store)
        store = await stores.served(home)
        assert "after" in store.durable(USER).nodes
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("lost", [gone, moved])
@pytest.mark.parametrize("name", ["journal", "memory", "root"])
def test_what_was_saved_before_the_folder_went_is_in_the_files_at_the_next_look(home, stores, values, lost, name):
    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("before")))
        lost(getattr(home, name))
        await store.look()
        assert "before" in json.loads(home.graph(USER).read_text("utf-8"))["nodes"]
        await store.commit(values.put(values.node("after")))
        await stores.killed(store)
        store = await stores.served(home)
        assert set(store.durable(USER).nodes) == {"before", "after"}
        await store.close()

    asyncio.run(main())


def test_a_journal_that_goes_while_it_is_written_to_fails_the_write_instead_of_losing_it(
    home, stores, values, monkeypatch
):
    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("before")))
        handle = store._journal._open
        sync = type(handle).sync

        def interrupted(self):
            sync(self)
            monkeypatch.undo()
            gone(home.journal)

        monkeypatch.setattr(type(handle), "sync", interrupted)
        with pytest.raises(KgError, match="Not saved"):
            await store.commit(values.put(values.node("during")))
        assert "during" not in store.durable(USER).nodes
        await store.commit(values.put(values.node("after")))
        await store.close()
        store = await stores.served(home)
        assert set(store.durable(USER).nodes) == {"before", "after"}
        await store.close()

    asyncio.run(main())


def test_a_server_whose_lock_file_went_takes_it_again_before_anybody_else_can(home, stores):
    async def main():
        store = await stores.served(home)
        store.announce(7419)
        gone(home.state)
        await store.look()
        with pytest.raises(KgError) as refused:
            await stores.served(home)
        assert refused.value.code is Code.CONFLICT
        assert "7419" in refused.value.sentence
        await store.close()
        await (await stores.served(home)).close()

    asyncio.run(main())


def test_of_two_servers_that_both_have_a_lock_only_the_later_one_writes(home, stores, values):
    async def main():
        first = await stores.served(home)
        await first.commit(values.put(values.node("before")))
        gone(home.state)
        second = await stores.served(home)
        assert "before" in second.durable(USER).nodes
        with pytest.raises(KgError) as refused:
            await first.commit(values.put(values.node("late")))
        assert refused.value.code is Code.CONFLICT
        await second.commit(values.put(values.node("after")))
        await first.look()
        assert not await first.snapshot()
        assert any("another kg server" in problem.sentence for problem in first.problems())
        await first.close()
        await second.commit(values.put(values.node("last")))
        await second.close()
        third = await stores.served(home)
        assert set(third.durable(USER).nodes) == {"before", "after", "last"}
        assert not third.problems()
        await third.close()

    asyncio.run(main())


@pytest.mark.parametrize("writes", [True, False])
@pytest.mark.parametrize("is_empty", [True, False])
def test_who_was_replaced_for_a_while_goes_on_only_if_nothing_was_written_meanwhile(
    home, stores, values, writes, is_empty
):
    async def main():
        first = await stores.served(home)
        await first.commit(values.put(values.node("before")))
        await first.snapshot()
        if is_empty:  # its newest segment holds no entry yet, so that the other's has the same name
            first._journal.close()
            first._journal.mark(first._journal.marks[USER][-1])
        gone(home.state)
        second = await stores.served(home)
        if writes:
            await second.commit(values.put(values.node("meanwhile")))
        await stores.killed(second)
        if writes:
            for _ in range(2):
                with pytest.raises(KgError, match="another kg server"):
                    await first.commit(values.put(values.node("after")))
        else:
            await first.commit(values.put(values.node("after")))
        await first.close()
        third = await stores.served(home)
        assert set(third.durable(USER).nodes) == {"before", "meanwhile" if writes else "after"}
        await third.close()

    asyncio.run(main())


def test_without_a_lock_nothing_is_written_by_the_way(home, stores, values):
    async def main():
        store = await stores.served(home)
        await store.commit(values.put(values.node("known")))
        await store.close()
        gone(home.state)
        home.state.write_text("in the way", encoding="utf-8")
        store = await stores.served(home)
        document = json.loads(home.graph(USER).read_text("utf-8"))
        document["nodes"]["edited"] = {"gist": "by hand"}
        home.graph(USER).write_text(json.dumps(document), encoding="utf-8")
        before = {path: path.read_bytes() for path in home.memory.rglob("*") if path.is_file()}
        await store.look()
        await store.snapshot()
        await store.close()
        assert {path: path.read_bytes() for path in home.memory.rglob("*") if path.is_file()} == before

    asyncio.run(main())
