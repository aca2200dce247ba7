"""What looks told and is not: texts on their way, ids of earlier contexts, nodes renamed unseen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
RETRY = "Retries need jitter."


def test_news_does_not_cover_a_lesson_that_another_text_was_bringing_and_that_got_lost(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        settle, reader._settle = reader._settle, lambda delivery: None
        listing = await reader.reply("kg_sync")
        assert CACHE in listing.text
        await writer.put("retry-jitter", RETRY)
        reader._settle = settle
        news = await reader.after_tool()
        assert RETRY in news
        assert CACHE not in news
        world.service.acknowledge(listing.delivery, arrived=False)
        assert CACHE in await reader.after_tool()

    live(scenario)


def test_many_entries_are_not_passed_over_because_of_a_text_on_its_way(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        for number in range(60):
            await writer.call("kg_progress", task_id="task", state=f"step {number}")
        reader.arrives = False
        assert CACHE in await reader.call("kg_sync")
        reader.arrives = True
        assert CACHE in await reader.after_tool()

    live(scenario)


def test_renaming_a_lesson_unseen_is_no_view_of_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, other = world.agent("s-1"), world.agent("s-2")
        await other.start()
        await writer.put("cache-key", CACHE)
        other.arrives = False
        await other.call("kg_rename_node", old_id="cache-key", new_id="tenant-key")
        other.arrives = True
        assert CACHE in await other.refused("kg_put_node", level="project", id="tenant-key", gist="Keys are short.")

    live(scenario)


def test_one_reply_to_a_prompt_does_not_both_recall_and_announce_a_lesson(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        text = await reader.prompt("Which tenant do the cache keys include?")
        assert text.count(CACHE) == 1

    live(scenario)


def test_a_session_cleared_twice_is_none_of_its_earlier_contexts(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.start()
        await agent.put("cache-key", CACHE)
        agent.arrives = False
        await agent.start("clear")
        await agent.start("clear")
        agent.arrives = True
        assert CACHE in await agent.refused("kg_put_node", level="project", id="cache-key", gist="Keys are short.")

    live(scenario)


def test_an_answer_that_there_is_no_further_part_is_no_part_even_when_it_gets_lost(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        reader.arrives = False
        await reader.start("clear")
        await writer.put("retry-jitter", RETRY)
        assert RETRY in await reader.call("kg_read", more=True)
        assert "no further part" in await reader.call("kg_read", more=True)

    live(scenario)


def test_an_older_text_that_arrives_late_does_not_make_a_newer_one_untold(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        settle, reader._settle = reader._settle, lambda delivery: None
        older = await reader.reply("kg_sync")
        reader._settle = settle
        await writer.put("cache-key", "Cache keys include tenant and region.")
        assert "region" in await reader.after_tool()
        assert world.service.acknowledge(older.delivery, arrived=True)
        assert await reader.after_tool() == ""
        await reader.put("cache-key", "Cache keys are hashed.")

    live(scenario)


def test_news_does_not_cover_news_that_is_on_its_way(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        settle, reader._settle = reader._settle, lambda delivery: None
        first = await reader.reply("kg_search", query="nothing of the kind")
        assert CACHE in first.text
        reader._settle = settle
        await writer.put("retry-jitter", RETRY)
        assert RETRY in await reader.after_tool()
        world.service.acknowledge(first.delivery, arrived=False)
        assert CACHE in await reader.after_tool()

    live(scenario)


def test_what_a_session_asked_before_its_text_was_lost_teaches_it_nothing_after(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, other = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        await other.start()
        waiting = asyncio.ensure_future(other.reply("kg_rename_node", old_id="cache-key", new_id="tenant-key"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert "tenant-key" in world.service._memory.pending("project:shop").nodes
        other.arrives = False
        await other.event("Start", source="compact")
        await waiting
        other.arrives = True
        assert CACHE in await other.refused("kg_put_node", level="project", id="tenant-key", gist="Keys are short.")

    live(scenario)


def test_a_text_that_arrives_after_a_compaction_counts_as_none(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        world.step = 100
        late: list[str] = []
        settle, reader._settle = reader._settle, late.append
        assert CACHE in await reader.start()
        reader._settle = settle
        reader.arrives = False
        assert CACHE in await reader.start("compact")
        assert not world.service.acknowledge(late[0], arrived=True)
        assert CACHE in await reader.prompt("Go on.")

    live(scenario)


def test_after_a_compaction_no_part_of_an_earlier_reply_is_left(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        for number in range(40):
            await writer.put(f"lesson-{number}", f"Lesson {number} {'is long ' * 25}")
        assert "more=true" in await reader.call("kg_read", level="project")
        await reader.start("compact")
        assert "no further part" in await reader.call("kg_read", more=True)

    live(scenario)


def test_a_full_read_of_which_a_part_has_arrived_is_none(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader, thorough = world.agent("s-1"), world.agent("s-2"), world.agent("s-3")
        await writer.start()
        for number in range(40):
            await writer.put(f"lesson-{number}", f"Lesson {number} {'is long ' * 25}")
        assert "more=true" in await reader.call("kg_read")
        assert "lesson-39" in await reader.prompt("Go on.")
        text = await thorough.call("kg_read")
        while "more=true" in text:
            text = await thorough.call("kg_read", more=True)
        assert await thorough.prompt("Go on.") == ""

    live(scenario)
