"""Whatever the machine does, every acknowledged write is there, and nobody was shown one that is not."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_core.model import Change, Tombstone
from kg_core.store import Home, Places, Store
from kg_plugin_api import Code, KgError

HOME = Home(Path("/memory-home"))
NOWHERE = Places(Path("/home/nobody"), ())


class Seen:
    """What writers were told and readers were shown; ``tried`` and ``told`` are the values of one counter node."""

    def __init__(self):
        self.acknowledged: set[tuple[str, str]] = set()
        self.shown: set[tuple[str, str]] = set()
        self.tried = self.told = 0
        self.deleted: set[str] = set()

    def look(self, store, keys=("user", "project:app")):
        for key in keys:
            self.shown |= {(key, node_id) for node_id in store.durable(key).nodes if node_id != "short-lived"}


async def opened(files):
    return await Store.open(HOME, files=files, places=NOWHERE, clock=lambda: 1_790_000_000_000)


async def abandon(store):
    """What a kill does to a store: nothing more is written."""
    for task in store._tasks:
        task.cancel()
    await asyncio.wait(store._tasks)
    await store._disk.close()


async def some_life(store, values, seen, steps):
    """Concurrent writes to two graphs, snapshots in between, one node rewritten again and again, one deleted."""
    for key in ("user", "project:app"):
        await store.load(key)
    seen.look(store)
    for number, step in enumerate(steps):
        futures = []
        for writer in range(step):
            key = "user" if (number + writer) % 3 else "project:app"
            name = f"n{number}-{writer}"
            future = store.commit(values.put(values.node(name), graph=key))
            future.add_done_callback(
                lambda done, mark=(key, name): done.exception() or seen.acknowledged.add(mark)  # type: ignore[func-returns-value]
            )
            futures.append(future)
        await asyncio.gather(*futures, count(store, values, seen), return_exceptions=True)
        seen.look(store)
        if number % 3 == 2:
            await asyncio.gather(store.snapshot(), *(count(store, values, seen) for _ in range(4)))
            seen.look(store)


async def count(store, values, seen):
    """Rewrite one node, while other writes and snapshots are on their way."""
    await asyncio.sleep(0)
    seen.tried += 1
    value = seen.tried
    with contextlib.suppress(KgError):
        await store.commit(values.put(values.node("counter", str(value))))
        seen.told = max(seen.told, value)


async def check(files, seen):
    """The next start finds all of it, twice in a row, and leaves only files that parse."""
    for _ in range(2):
        store = await opened(files)
        for key in ("user", "project:app"):
            await store.load(key)
        held = {(key, node_id) for key in ("user", "project:app") for node_id in store.durable(key).nodes}
        assert seen.acknowledged <= held
        assert seen.shown <= held
        counter = store.durable("user").nodes.get("counter")
        assert seen.told <= int(counter.gist if counter else 0) <= seen.tried
        assert not store.problems()
        assert "edit" not in {entry.by for entry in store.since(0)}, "a file of ours was taken for an edit from outside"
        await store.close()
        for folder, content in files.folders.items():
            for name, inode in content.names.items():
                assert not name.endswith(".tmp"), (folder, name)
                if name.endswith(".json"):
                    json.loads(inode.data.decode("utf-8"))
    return held


async def life_and_crash(volatile, values, steps, crash_at, half, chance):
    files, seen = volatile.VolatileFiles(), Seen()
    files.crash_at, files.half = crash_at, half
    try:
        store = await opened(files)
    except KgError:
        store = None
    if store is not None:
        with contextlib.suppress(KgError):
            await some_life(store, values, seen, steps)
        await abandon(store)
    await check(files.after_crash(chance), seen)
    return files


def test_every_acknowledged_write_survives_a_crash_at_any_operation(volatile, values):
    steps = (2, 1, 3, 1, 1, 2, 1)
    files = asyncio.run(life_and_crash(volatile, values, steps, 0, False, None))
    assert files.count > 60
    for crash_at in range(1, files.count + 1):
        for half in (False, True):
            asyncio.run(life_and_crash(volatile, values, steps, crash_at, half, None))


def test_every_acknowledged_write_survives_whatever_part_of_the_rest_reached_the_disk(volatile, values):
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(1, 120), st.booleans(), st.integers())
    def holds(steps, crash_at, half, seed):
        asyncio.run(life_and_crash(volatile, values, steps, crash_at, half, random.Random(seed)))

    holds()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_failing_operation_fails_its_writers_and_loses_nothing(volatile, values, code):
    async def life(fault):
        files, seen = volatile.VolatileFiles(), Seen()
        store = await opened(files)
        files.faults = {files.count + fault: code} if fault else {}
        await some_life(store, values, seen, (2, 1, 1, 2))
        await store.snapshot()
        files.faults = {}
        await store.commit(values.put(values.node("counter", str(seen.tried))))
        assert await store.snapshot()
        seen.look(store)
        assert not [problem for problem in store.problems() if problem.kind == "unwritable"]
        await abandon(store)
        held = await check(files.after_crash(), seen)
        assert held == {*seen.acknowledged, ("user", "counter")}
        return files.count

    count = asyncio.run(life(0))
    for fault in range(1, count + 1, 1 if code == errno.ENOSPC else 4):
        asyncio.run(life(fault))


def test_a_failed_batch_drops_the_whole_pending_tail_and_names_the_path(volatile, values):
    async def main():
        files = volatile.VolatileFiles()
        store = await opened(files)
        await store.load("user")
        await store.commit(values.put(values.node("kept")))
        files.refuse = errno.ENOSPC
        futures = [store.commit(values.put(values.node(name))) for name in ("a", "b")]
        await asyncio.sleep(0)
        futures.append(store.commit(values.put(values.node("c"))))
        assert {"kept", "a", "b", "c"} == set(store.pending("user").nodes)
        results = await asyncio.gather(*futures, return_exceptions=True)
        assert [type(result) for result in results] == [KgError] * 3
        assert "/memory-home/memory/journal" in results[0].sentence
        assert store.pending("user") is store.durable("user")
        assert set(store.durable("user").nodes) == {"kept"}
        assert store.sequence == 1
        assert [problem.kind for problem in store.problems()] == ["unwritable"]
        files.refuse = 0
        entry = await store.commit(values.put(values.node("d")))
        assert entry.sequence == 2
        assert not store.problems()
        await store.close()

    asyncio.run(main())


def test_a_read_only_disk_is_opened_for_reading(volatile, values):
    async def main():
        files = volatile.VolatileFiles()
        store = await opened(files)
        await store.load("user")
        await store.commit(values.put(values.node("kept")))
        await store.close()
        files.refuse = errno.EROFS
        store = await opened(files)
        assert set((await store.load("user")).nodes) == {"kept"}
        with pytest.raises(KgError) as caught:
            await store.commit(values.put(values.node("new")))
        assert caught.value.code is Code.READ_ONLY
        assert "/memory-home" in caught.value.sentence
        await store.close()

    asyncio.run(main())


def test_a_snapshot_that_fails_is_reported_and_made_up_for(volatile, values):
    async def main():
        files = volatile.VolatileFiles()
        store = await opened(files)
        await store.load("user")
        await store.commit(values.put(values.node("kept")))
        files.refuse = errno.ENOSPC
        assert not await store.snapshot()
        assert "disk is full" in store.problems()[0].sentence
        files.refuse = 0
        assert await store.snapshot()
        assert not store.problems()
        assert b"kept" in files.read(HOME.graph("user"))
        await store.close()

    asyncio.run(main())


def test_a_write_that_spans_graphs_is_there_as_a_whole_or_not_at_all(volatile, values):
    async def life(crash_at):
        files = volatile.VolatileFiles()
        store = await opened(files)
        await store.load("user")
        await store.load("project:app")
        files.crash_at, files.half = files.count + crash_at, True
        changes = tuple(
            Change(graph=key, nodes={"both": values.node("both")}, tombstones={"gone": Tombstone(at=1, by="c")})
            for key in ("user", "project:app")
        )
        future = store.commit(values.put(values.node("x")).__class__(by="c", at=1, changes=changes))
        await asyncio.wait([future])
        told = future.exception() is None
        await abandon(store)
        again = files.after_crash()
        store = await opened(again)
        found = [("both" in (await store.load(key)).nodes) for key in ("user", "project:app")]
        await store.close()
        assert found[0] == found[1]
        assert found[0] or not told
        return files.is_gone

    crash_at = 1
    while asyncio.run(life(crash_at)):
        crash_at += 1
    assert crash_at > 5
