"""What is large is done in short steps, or only counted: others are answered in between."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from kg_core.model import Change, Node, Tier, Use
from kg_core.store import Write
from kg_plugin_api import SearchRequest
from kg_server.keeping import offers
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


def test_more_changes_than_are_worth_listing_are_counted(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_server.tools.sync._MOST", 5)

    async def scenario(world: Any) -> None:
        reader = world.agent("s-1")
        await reader.start()
        await write(world, Change(graph="user", nodes=nodes(6)))
        told = await reader.call("kg_sync")
        assert "more than 5 changes" in told
        assert "kg_read" in told
        assert "n-0: " not in told
        await write(world, Change(graph="user", nodes={"late": Node(id="late", gist="One more")}))
        assert "late: One more" in await reader.call("kg_sync")

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
    known = {"user": {f"n-{number}": f"v{number}" for number in range(1_200)}, "project:shop": {"a": "b"}}
    path = tmp_path / "state" / "record.json"

    pieces = list(offers._known_pieces("/home/me/memory.jsonl", known))
    offers._write_known(path, pieces)

    assert max(len(json.loads(piece).get("offered", ())) for piece in pieces) <= 500
    assert offers._read_known(path) == known
