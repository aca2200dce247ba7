"""What a person changes in a graph file, as the sessions see it: news, and nothing that may be written over unseen."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
NOTHING = "Nothing was changed by others."
BY_HAND = "Cache keys include tenant and language."


async def edit(world: Any, gist: str) -> None:
    """A person edits the lesson in the file, and it is taken over."""
    store = world.service._memory.store
    await store.snapshot()
    path = world.root / ".kg" / "memory" / "projects" / "shop" / "graph.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["nodes"]["cache-key"]["gist"] = gist
    path.write_text(json.dumps(document), encoding="utf-8")
    await store.look()
    assert world.service._memory.durable("project:shop").nodes["cache-key"].gist == gist


async def left(world: Any, gist: str, *, seconds: int = 0) -> None:
    """A memory that a person wrote, and kg never: as after a checkout, there is no journal."""
    shutil.rmtree(world.root / ".kg" / "memory" / "journal", ignore_errors=True)
    path = world.root / ".kg" / "memory" / "user.json"
    path.write_text(json.dumps({"format": 1, "nodes": {"cache-key": {"gist": gist}}}), encoding="utf-8")
    at = world.clock.now // 1_000 - 1_000 + seconds
    os.utime(path, (at, at))


def test_after_a_restart_without_any_write_a_session_is_told_nothing(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await left(world, CACHE)
        await world.restart()
        reader = world.agent("s-1")
        assert CACHE in await reader.start()
        await world.restart()
        assert await reader.after_tool() == ""
        assert await reader.call("kg_sync") == NOTHING

    live(scenario)


def test_what_a_person_changed_in_the_files_before_a_restart_without_a_journal_is_told_of(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await left(world, CACHE)
        await world.restart()
        reader = world.agent("s-1")
        await reader.start()
        await world.service.close()
        await left(world, BY_HAND, seconds=5)
        await world.restart()
        assert "Much was written since" in await reader.after_tool()
        assert await reader.after_tool() == ""

    live(scenario)


def test_who_wrote_a_lesson_is_told_that_a_person_changed_it_in_the_file(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, other = world.agent("s-1"), world.agent("s-2")
        await writer.start()
        await other.start()
        await writer.put("cache-key", CACHE)
        await edit(world, BY_HAND)
        assert BY_HAND in await writer.after_tool()
        assert await writer.after_tool() == ""
        assert BY_HAND in await other.after_tool()

    live(scenario)


def test_who_wrote_a_lesson_does_not_write_over_what_a_person_made_of_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.start()
        await writer.put("cache-key", CACHE)
        await edit(world, BY_HAND)
        refused = await writer.refused("kg_put_node", id="cache-key", gist="Cache keys include it.", level="project")
        assert BY_HAND in refused
        assert "saved" in (await writer.put("cache-key", "Cache keys include both.")).lower()

    live(scenario)


def test_what_a_session_wrote_over_is_no_news_to_it_after_its_context_was_compacted(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, other = world.agent("s-1"), world.agent("s-2")
        await writer.start()
        await other.start()
        await other.put("cache-key", CACHE)
        await writer.call("kg_read", ids=["cache-key"])
        await writer.put("cache-key", BY_HAND)
        text = await writer.start("compact")
        assert "Written by others" not in text

    live(scenario)


async def removed_and_put_back(world: Any, node_id: str) -> AsyncIterator[None]:
    """A person takes a lesson out of the file, leaving its edges there, and puts it back."""
    store = world.service._memory.store
    await store.snapshot()
    path = world.root / ".kg" / "memory" / "projects" / "shop" / "graph.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    lesson = document["nodes"].pop(node_id)
    for nodes in (document["nodes"], {**document["nodes"], node_id: {"gist": lesson["gist"]}}):
        path.write_text(json.dumps({**document, "nodes": nodes}), encoding="utf-8")
        await store.look()
        yield


def test_a_lesson_holds_again_for_searches_while_what_superseded_it_is_out_of_the_file(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        await writer.put("language-in-key", "Keys have a language.")
        await writer.call("kg_put_edge", **{"from": "language-in-key", "rel": "supersedes", "to": "cache-key"})

        found = [
            CACHE in await writer.call("kg_search", query="tenant", statuses=["current"])
            async for _ in removed_and_put_back(world, "language-in-key")
        ]

        assert found == [True, False]

    live(scenario)
