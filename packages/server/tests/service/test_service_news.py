"""What others wrote: told once, never one's own, never what is no news; and the full list on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."


def test_a_session_is_told_what_another_wrote_meanwhile_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.start()
        await reader.start()
        await writer.put("cache-key", CACHE)
        assert CACHE in await reader.after_tool()
        assert await reader.after_tool() == ""
        assert CACHE not in await reader.call("kg_search", query="nothing of the kind")

    live(scenario)


def test_news_rides_on_a_tools_reply_too(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        assert CACHE in await reader.put("retry-jitter", "Retries need jitter.")
        assert await reader.after_tool() == ""

    live(scenario)


def test_the_three_newest_are_shown_and_the_others_counted(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        for number in range(5):
            await writer.put(f"lesson-{number}", f"Claim number {number}.")
        text = await reader.after_tool()
        assert [number for number in range(5) if f"Claim number {number}." in text] == [2, 3, 4]
        assert text.index("Claim number 4.") < text.index("Claim number 2.")
        assert "and 2 more: mcp__kg__kg_sync lists them." in text

    live(scenario)


def test_a_session_is_not_told_of_its_own_writes(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.start()
        await writer.put("cache-key", CACHE)
        assert await writer.after_tool() == ""

    live(scenario)


def test_news_that_did_not_arrive_is_told_again(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        reader.arrives = False
        assert CACHE in await reader.after_tool()
        reader.arrives = True
        assert CACHE in await reader.after_tool()
        assert await reader.after_tool() == ""

    live(scenario)


def test_news_on_its_way_is_not_told_a_second_time_and_a_lost_one_is_not_passed_over(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        world.step = 100
        settle, reader._settle = reader._settle, lambda delivery: lost.append(delivery)
        lost: list[str] = []
        assert CACHE in await reader.after_tool()
        await writer.put("retry-jitter", "Retries need jitter.")
        reader._settle = settle
        second = await reader.after_tool()
        assert "jitter" in second
        assert CACHE not in second
        world.service.acknowledge(lost[0], False)
        assert CACHE in await reader.after_tool()

    live(scenario)


def test_a_stale_view_from_a_lost_reply_does_not_let_a_write_through(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        await reader.start()
        await writer.put("cache-key", "Cache keys include tenant and region.")
        reader.arrives = False
        assert "tenant and region" in await reader.after_tool()
        reader.arrives = True
        refusal = await reader.refused("kg_put_node", level="project", id="cache-key", gist="My older view.")
        assert "tenant and region" in refusal

    live(scenario)


def test_renames_promotions_and_maintenance_are_no_news(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader, keeper = world.agent("s-1"), world.agent("s-2"), world.agent("s-3")
        await writer.put("cache-key", CACHE)
        await reader.start()
        await writer.call("kg_rename_node", old_id="cache-key", new_id="cache-key-tenant")
        await writer.call("kg_read", ids=["cache-key-tenant"])
        await keeper.call("kg_read", maintenance=True)
        await keeper.call("kg_read", ids=["cache-key-tenant"])
        await keeper.put("cache-key-tenant", "Cache keys include the tenant id.")
        assert await reader.after_tool() == ""

    live(scenario)


def test_what_another_wrote_and_renamed_is_told_under_its_new_id(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        await writer.call("kg_rename_node", old_id="cache-key", new_id="cache-key-tenant")
        assert f"cache-key-tenant: {CACHE}" in await reader.after_tool()

    live(scenario)


def test_what_the_session_has_read_itself_is_no_news(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        text = await reader.call("kg_read", ids=["cache-key"])
        assert text.count(CACHE) == 1
        assert await reader.after_tool() == ""

    live(scenario)


def test_what_was_deleted_or_retracted_meanwhile_is_no_news(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        await writer.call("kg_delete_node", id="cache-key")
        await writer.put("retry-jitter", "Retries need jitter.", status="proposed")
        assert await reader.after_tool() == ""

    live(scenario)


def test_a_write_of_another_project_is_no_news(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1", cwd="other"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        assert await reader.after_tool() == ""

    live(scenario)


def test_a_subagent_and_its_parent_tell_each_other(live: Live) -> None:
    async def scenario(world: Any) -> None:
        parent, child = world.agent("s-1"), world.agent("s-1", agent="a-1")
        await parent.start()
        await child.event("AgentStart")
        await child.put("cache-key", CACHE)
        assert CACHE in await parent.after_tool()

    live(scenario)


def test_sync_lists_what_others_wrote_renamed_deleted_and_related(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        for number in range(4):
            await writer.put(f"lesson-{number}", f"Claim number {number}.")
        await reader.start()
        await writer.put("lesson-0", "Claim number 0, mended.")
        await writer.call("kg_rename_node", old_id="lesson-1", new_id="lesson-one")
        await writer.call("kg_delete_node", id="lesson-2")
        await writer.call("kg_put_edge", from_="lesson-0", rel="guards", to="lesson-3")
        await reader.put("own-lesson", "My own claim.")
        text = await reader.call("kg_sync")
        assert "lesson-0: Claim number 0, mended." in text
        assert "renamed: lesson-1 → lesson-one" in text
        assert "deleted: lesson-2" in text
        assert "edge: lesson-0 --guards--> lesson-3" in text
        assert "own-lesson" not in text
        assert "Claim number 3" not in text
        assert "Nothing was changed by others." in await reader.call("kg_sync")

    live(scenario)


def test_sync_lists_what_another_wrote_even_if_it_was_renamed_by_oneself_afterwards(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        await reader.start()
        await writer.put("cache-key", "Cache keys include tenant and region.")
        await reader.call("kg_rename_node", old_id="cache-key", new_id="cache-key-tenant")
        assert "cache-key-tenant: Cache keys include tenant and region." in await reader.call("kg_sync")

    live(scenario)


def test_a_sync_that_did_not_arrive_lists_the_same_again(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        reader.arrives = False
        assert CACHE in await reader.call("kg_sync")
        reader.arrives = True
        assert CACHE in await reader.call("kg_sync")

    live(scenario)
