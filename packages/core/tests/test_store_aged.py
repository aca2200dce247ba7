"""What has aged: it stands in its file before its graph lets go of it, whatever happens in between."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from kg_core.model import AGEING, DAY, Graph, Tier, Use, Written
from kg_core.model.steps import at_once
from kg_core.policy.ageing import ageing_steps
from kg_core.store import Home, Places, Store, Write
from kg_core.store.reading import read_graph
from kg_plugin_api import Code, KgError

HOME = Home(Path("/memory-home"))
NOW = 1_790_000_000_000
LONG_AGO = Written(at=NOW - 99 * DAY, by="s", author="s")
LONG_GONE = Use(tier=Tier.ORPHANED, orphaned_at=NOW - 9 * DAY)


async def opened(files, home=HOME):
    store = await Store.open(home, files=files, places=Places(Path("/home/nobody"), ()), clock=lambda: NOW)
    await store.load("user")
    return store


async def abandon(store):
    for task in store._tasks:
        task.cancel()
    await asyncio.wait(store._tasks)
    await store._disk.close()


async def age(store):
    """Both steps, as the server takes them."""
    found = at_once(ageing_steps(store.durable("user"), (), NOW, 1))
    if found is not None and await store.aged.keep(found.aged) and found.fits(store.pending("user")):
        await store.commit(Write(by=AGEING, at=NOW, changes=(found.change,), maintenance=True))


def aged_in(files, key="user"):
    path = HOME.aged(key)
    return {} if files.identity(path) is None else json.loads(files.read(path).decode("utf-8", "surrogatepass"))


def lessons(values, *names):
    nodes = {name: values.node(name) for name in names}
    edges = values.edge(names[0], "uses", "stays")
    return values.put(*nodes.values(), values.node("stays"), use=dict.fromkeys(names, LONG_GONE), edges=edges)


def test_a_crash_at_any_operation_leaves_every_lesson_in_one_place_at_least(volatile, values):
    async def life(crash_at, half, chance):
        files = volatile.VolatileFiles()
        store = await opened(files)
        await store.commit(lessons(values, "one", "two"))
        await store.snapshot()
        files.crash_at, files.half = (files.count + crash_at if crash_at else 0), half
        began = files.count
        with contextlib.suppress(KgError):
            await age(store)
            await store.snapshot()
        await abandon(store)
        took = files.count - began

        found = files.after_crash(chance)
        store = await opened(found)
        held = set(store.durable("user").nodes)
        assert held | set(aged_in(found).get("nodes", {})) == {"one", "two", "stays"}
        await age(store)
        await store.close()
        assert set(store.durable("user").nodes) == {"stays"}
        assert set(aged_in(found)["nodes"]) == {"one", "two"}
        assert not any("conflicts" in record for record in aged_in(found)["nodes"].values())
        assert [edge["to"] for edge in aged_in(found)["edges"]] == ["stays"]
        assert not [name for folder in found.folders.values() for name in folder.names if name.endswith(".tmp")]
        return took

    took = asyncio.run(life(0, False, None))
    assert took > 8
    for crash_at in range(1, took + 1):
        asyncio.run(life(crash_at, False, None))
        asyncio.run(life(crash_at, True, random.Random(crash_at)))


def test_any_lesson_is_read_from_the_file_as_it_was(volatile, values):
    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(values.graphs())
    def holds(graph):
        async def main():
            files = volatile.VolatileFiles()
            store = await opened(files)
            for _ in range(2):
                assert await store.aged.keep(Graph.build("user", nodes=graph.nodes, edges=graph.edges))
            await store.close()
            return (await read_graph("user", files.read(HOME.aged("user")))).graph

        kept = asyncio.run(main())
        assert kept.nodes == graph.nodes
        assert kept.edges == graph.edges

    holds()


def test_a_lesson_that_ages_again_keeps_what_the_file_had_of_it_beside_it(volatile, values):
    async def main():
        files = volatile.VolatileFiles()
        store = await opened(files)
        await store.aged.keep(
            Graph.build("user", nodes={"one": values.node("one", "before"), "two": values.node("two")})
        )
        await store.aged.keep(Graph.build("user", nodes={"one": values.node("one", "after")}))
        await store.close()
        return aged_in(files)["nodes"]

    nodes = asyncio.run(main())

    assert set(nodes) == {"one", "two"}
    assert nodes["one"]["gist"] == "after"
    assert [each["gist"] for each in nodes["one"]["conflicts"]] == ["before"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"format": 2, "nodes": {}}', Code.READ_ONLY),
        (b'{"format": 1, "nodes": {"x": {"gist": "x"', Code.INVALID),
        (b'{"nodes": {\n<<<<<<< a\n"x": {"gist": "x"}\n=======\n"x": {"gist": "y"}\n>>>>>>> b\n}}', Code.INVALID),
        (b"\x00" * 40, Code.INVALID),
    ],
    ids=["newer", "cut", "merging", "zeros"],
)
def test_a_file_that_cannot_be_read_whole_stays_as_it_is_and_so_does_the_graph(volatile, values, content, code):
    async def main():
        files = volatile.VolatileFiles()
        files.put(HOME.aged("user"), content)
        store = await opened(files)
        await store.commit(lessons(values, "one"))
        with pytest.raises(KgError) as caught:
            await age(store)
        assert caught.value.code is code
        assert str(HOME.aged("user")) in caught.value.sentence
        assert set(store.durable("user").nodes) == {"one", "stays"}
        assert files.read(HOME.aged("user")) == content
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize(("code", "said"), [(errno.ENOSPC, "full"), (errno.EROFS, "read-only")])
def test_a_disk_that_refuses_the_file_leaves_the_graph_as_it_is(volatile, values, code, said):
    async def main():
        files = volatile.VolatileFiles()
        store = await opened(files)
        await store.commit(lessons(values, "one"))
        files.refuse = code
        with pytest.raises(KgError) as caught:
            await age(store)
        assert said in caught.value.sentence
        assert set(store.pending("user").nodes) == {"one", "stays"}
        files.refuse = 0
        await age(store)
        assert set(store.durable("user").nodes) == {"stays"}
        await store.close()

    asyncio.run(main())


def test_what_a_person_writes_into_the_file_meanwhile_is_not_lost(volatile, values):
    class Edited(volatile.VolatileFiles):
        """A person saves the file between the look at it and the writing of it."""

        def make_folder(self, path):
            super().make_folder(path)
            if path == HOME.aged("user").parent:
                self.put(HOME.aged("user"), b'{"format": 1, "nodes": {"mine": {"gist": "x"}}}')

    async def main():
        files = Edited()
        store = await opened(files)
        kept = await store.aged.keep(Graph.build("user", nodes={"one": values.node("one")}))
        await store.close()
        return kept, aged_in(files)["nodes"]

    kept, nodes = asyncio.run(main())

    assert not kept
    assert set(nodes) == {"mine"}


def test_what_a_person_writes_into_the_graph_meanwhile_is_not_lost(volatile, values):
    async def main():
        files = volatile.VolatileFiles()
        store = await opened(files)
        write = lessons(values, "one", "two")
        nodes = {key: replace(node, written=LONG_AGO) for key, node in write.changes[0].nodes.items()}
        await store.commit(replace(write, changes=(replace(write.changes[0], nodes=nodes),)))
        await store.snapshot()
        path = HOME.graph("user")
        files.put(path, files.read(path).replace(store.durable("user").nodes["one"].gist.encode(), b"by hand", 1))
        await age(store)
        await store.look()
        await store.snapshot()
        held = store.durable("user")
        await store.close()
        return held

    held = asyncio.run(main())

    assert held.nodes["one"].gist == "by hand"
    assert "one" not in held.tombstones
    assert "two" not in held.nodes


def test_a_project_called_user_has_a_file_of_its_own_and_only_the_owner_reads_it(home, stores, values):
    async def main():
        store = await stores.opened(home)
        for key in ("user", "project:user", "project:user.json", "project:projects"):
            assert await store.aged.keep(Graph.build(key, nodes={"one": values.node("one", f"of {key}")}))
            assert f"of {key}" in store.aged.path(key).read_text("utf-8")
            assert store.aged.path(key).stat().st_mode & 0o777 == 0o600
            assert store.aged.path(key).parent.stat().st_mode & 0o777 == 0o700
        await store.close()

    asyncio.run(main())

    files = [path for path in (home.memory / "archive").rglob("*") if path.is_file()]
    assert len(files) == 4


def test_a_graph_that_has_aged_is_read_again_as_it_was_left(volatile, values):
    async def main():
        files = volatile.VolatileFiles()
        store = await opened(files)
        await store.commit(lessons(values, "one"))
        await age(store)
        before = store.durable("user")
        await store.close()
        store = await opened(files)
        assert store.durable("user") == before
        assert before.tombstones["one"].by == AGEING
        await store.close()

    asyncio.run(main())
