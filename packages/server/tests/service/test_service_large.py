"""What is large is done in short steps, or only counted: others are answered in between."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kg_core.model import Change, Node, Tier, Use
from kg_core.store import Home, Write
from kg_plugin_api import SearchRequest
from kg_server.events import prospects
from kg_server.keeping import imported
from kg_server.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    import pytest

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

MANY = 120


def nodes(count: int) -> dict[str, Node | None]:
    return {f"n-{number}": Node(id=f"n-{number}", gist=f"Lesson {number} on otters") for number in range(count)}


async def write(world: Any, change: Change) -> None:
    await world.service._memory.commit(Write(by="cli", at=1, changes=(change,)))


def test_what_a_large_write_touches_is_indexed_node_by_node_and_a_search_waits_for_it(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    upsert = Memory._upsert

    def counted(memory: Memory, graph: Any, ids: Any) -> None:
        sizes.append(len(list(ids)))
        upsert(memory, graph, ids)

    async def scenario(world: Any) -> None:
        memory = world.service._memory
        await memory.load("user")
        monkeypatch.setattr(Memory, "_upsert", counted)
        await write(world, Change(graph="user", nodes=nodes(MANY)))
        found = await memory.search(SearchRequest(text="otters", graphs=("user",), limit=2 * MANY))
        assert len(found.hits) == MANY

    live(scenario)

    assert sum(sizes) == MANY
    assert max(sizes) <= 25


def test_a_node_that_is_written_while_many_are_indexed_is_found_as_it_is_now(live: Live) -> None:
    async def scenario(world: Any) -> None:
        memory = world.service._memory
        await memory.load("user")
        await write(world, Change(graph="user", nodes=nodes(MANY)))
        last = f"n-{MANY - 1}"
        await write(world, Change(graph="user", nodes={last: Node(id=last, gist="Now on badgers"), "n-7": None}))
        found = await memory.search(SearchRequest(text="otters badgers", graphs=("user",), limit=2 * MANY))
        hits = {hit.id for hit in found.hits}
        assert last in hits
        assert "n-7" not in hits
        assert len(memory.index) == MANY - 1

    live(scenario)


def test_nothing_is_indexed_while_the_start_of_a_session_is_made_ready(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_server.background._SLICE_SECONDS", 0.0)
    indexed: list[int] = []

    async def scenario(world: Any) -> None:
        index = world.service._memory.index

        async def watched(*arguments: Any) -> Any:
            until_now.close()
            for _ in range(20):
                indexed.append(len(index))
                await asyncio.sleep(0)
            return await prospects(*arguments)

        await world.service._memory.load("user")
        with ExitStack() as until_now:
            until_now.enter_context(world.service._memory.indexed_later())
            await write(world, Change(graph="user", nodes=nodes(10 * MANY)))
            monkeypatch.setattr("kg_server.events.prospects", watched)
            assert "otters" in await world.agent("s-1").start()

    live(scenario)

    assert len(set(indexed)) == 1
    assert indexed[0] < 10 * MANY


def test_what_was_indexed_late_does_not_outlive_the_memory(live: Live) -> None:
    async def scenario(world: Any) -> None:
        memory = world.service._memory
        await memory.load("user")
        await write(world, Change(graph="user", nodes=nodes(MANY)))
        await asyncio.sleep(0)
        running = [task for tasks in memory._indexing.values() for task in tasks]
        assert running
        await world.service.close()
        assert all(task.done() for task in running)

    live(scenario)


def test_of_more_changes_than_are_worth_listing_the_most_telling_are_listed_and_the_rest_counted(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_server.tools.sync._MOST", 8)
    monkeypatch.setattr("kg_server.tools.sync._ROOM", 150)

    async def scenario(world: Any) -> None:
        reader = world.agent("s-1")
        await write(world, Change(graph="user", nodes={"doomed": Node(id="doomed", gist="Wrong")}))
        await reader.start()
        await write(world, Change(graph="user", nodes={**nodes(9), "doomed": None}))
        told = (await reader.call("kg_sync")).splitlines()
        assert told[0].startswith("Others made 10 changes: call kg_read again")
        assert told[1:8] == [
            "User memory, changed by others:",
            *(f"  n-{number}: Lesson {number} on otters" for number in (8, 7, 6, 5, 4)),
            "  deleted: doomed",
        ]
        assert told[8] == "Not listed: 4 lessons."
        await write(world, Change(graph="user", nodes={"late": Node(id="late", gist="One more")}))
        assert "late: One more" in await reader.call("kg_sync")

    live(scenario)


def test_as_many_changes_as_are_worth_it_are_all_listed(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_server.tools.sync._MOST", 9)
    monkeypatch.setattr("kg_server.tools.sync._ROOM", 10)

    async def scenario(world: Any) -> None:
        reader = world.agent("s-1")
        await reader.start()
        await write(world, Change(graph="user", nodes=nodes(9)))
        told = await reader.call("kg_sync")
        assert all(f"n-{number}: Lesson {number}" in told for number in range(9))
        assert "Not listed" not in told

    live(scenario)


async def turns_during(work: Coroutine[Any, Any, str]) -> tuple[str, int]:
    """What some work says, and how often others have their turn meanwhile."""
    task = asyncio.create_task(work)
    turns = 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    return await task, turns


def test_others_have_their_turn_while_all_of_a_large_memory_is_looked_through(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_core.store.slices.SLICE", 0.0)
    monkeypatch.setattr("kg_server.tools.sync._MOST", 500)
    many = 600

    async def scenario(world: Any) -> None:
        async def text_of_all() -> str:
            return str((await world.service.show("", ()))["text"])

        reader, other = world.agent("s-1"), world.agent("s-2")
        await other.call("kg_read")
        await write(world, Change(graph="user", nodes=nodes(many)))
        started, at_start = await turns_during(reader.start())
        assert "n-0: " in started
        assert "more lessons are not shown here" in started
        read, at_read = await turns_during(reader.call("kg_read"))
        assert f"User memory: {many} active, 0 archived" in read
        synced, at_sync = await turns_during(other.call("kg_sync"))
        assert f"Others made {many} changes" in synced
        shown, at_show = await turns_during(text_of_all())
        assert f"n-{many - 1}: " in shown
        assert min(at_start, at_read, at_sync, at_show) >= many / 100

    live(scenario)


def test_a_lesson_that_changes_while_memory_is_looked_through_for_a_session_is_told_as_it_is_now(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_core.store.slices.SLICE", 0.0)

    async def scenario(world: Any) -> None:
        reader = world.agent("s-1")
        await world.service._memory.load("user")
        await write(world, Change(graph="user", nodes=nodes(MANY)))
        starting = asyncio.create_task(reader.start())
        for _ in range(5):
            await asyncio.sleep(0)
        await write(world, Change(graph="user", nodes={"n-3": Node(id="n-3", gist="Now on badgers")}))
        told = [await starting, await reader.after_tool()]
        assert "n-3: Now on badgers" in "".join(told)

    live(scenario)


def test_of_too_many_lessons_of_others_none_is_told_but_that_there_are(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_server.sources.others._MOST", 60)

    async def scenario(world: Any) -> None:
        reader = world.agent("s-1")
        await reader.start()
        for number in range(61):
            await write(
                world, Change(graph="user", nodes={f"n-{number}": Node(id=f"n-{number}", gist=f"Lesson {number}")})
            )
        reader.arrives = False
        assert "Much was written since" in await reader.after_tool()
        reader.arrives = True
        assert "Much was written since" in await reader.after_tool()
        assert await reader.after_tool() == ""

    live(scenario)


def test_a_whole_level_is_shown_with_the_nodes_that_are_in_sight(live: Live) -> None:
    async def scenario(world: Any) -> None:
        memory = world.service._memory
        await memory.load("user")
        await write(world, Change(graph="user", nodes=nodes(3), use={"n-1": Use(tier=Tier.ORPHANED)}))
        shown = await world.service.show("", ())
        assert [record["id"] for record in shown["nodes"]] == ["n-0", "n-2"]

    live(scenario)


def test_the_record_of_an_import_is_written_in_short_lines_and_read_back(tmp_path: Any) -> None:
    home, source = Home(tmp_path / "home"), "/home/me/memory.jsonl"
    versions = {"user": {f"n-{number}": f"v{number}" for number in range(1_200)}, "project:shop": {"a": "b"}}
    offered = imported.Offered(versions, {"Shop": "project:shop"})

    asyncio.run(imported.write(home, source, offered))

    (record,) = home.imports.iterdir()
    lines = [json.loads(line) for line in record.read_bytes().splitlines()]
    assert max(len(line.get("offered", ())) for line in lines) <= 500
    assert imported.read(home, source) == offered
