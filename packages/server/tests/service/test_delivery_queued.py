"""Clients that take long texts one packet at a time, until each is acknowledged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_plugin_api import Unit
from kg_server.interface import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
CASES = [f"case {n} {'x' * 500}" for n in range(10)]
"""As notes of a lesson they make a reply that has to wait."""


async def begun(world: Any) -> tuple[Any, Any]:
    """Who has written a long lesson, and the session of a queued client whose preload has arrived."""
    writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
    await writer.put("cache-key", CACHE, notes=CASES)
    await reader.start()
    await reader.prompt("hello there, how do you do")
    return writer, reader


def test_a_queued_client_gets_its_preload_with_the_first_event_that_can_carry_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        reader = world.agent("s-2", harness="queued")
        assert await reader.start() == ""
        assert CACHE in await reader.prompt("hello there, how do you do")
        assert await reader.after_tool() == ""
        assert await reader.prompt("go on, please, with what you do") == ""

    live(scenario)


def test_a_queued_packet_that_was_not_acknowledged_comes_again(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        reader = world.agent("s-2", harness="queued")
        reader.arrives = False
        await reader.start()
        first = await reader.prompt("hello there, how do you do")
        reader.arrives = True
        assert await reader.prompt("go on, please, with what you do") == first
        assert await reader.prompt("and now something else entirely") == ""

    live(scenario)


def test_a_long_reply_is_queued_and_marked_when_its_packet_has_arrived(live: Live) -> None:
    async def scenario(world: Any) -> None:
        _, reader = await begun(world)
        receipt = await reader.call("kg_read", ids=["cache-key"])
        assert CACHE not in receipt
        refusal = await reader.refused("kg_put_node", level="project", id="cache-key", gist=CACHE, notes=["mine"])
        assert "NOT WRITTEN" in refusal
        text = await reader.prompt("go on, please, with what you do")
        assert "case 9" in text
        assert Unit.BYTES.measure(text) <= 8_000

    live(scenario)


def test_a_compaction_of_a_queued_client_brings_the_preload_again_and_first(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        reader = world.agent("s-2", harness="queued")
        await reader.start()
        await reader.prompt("hello there, how do you do")
        assert await reader.event("Compacted") == ""
        assert CACHE in await reader.prompt("go on, please, with what you do")

    live(scenario)


def test_a_preload_that_waits_over_a_compaction_gives_way_to_a_newer_one(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        await writer.put("cache-key", CACHE)
        await reader.start()
        await writer.put("cache-key", "Cache keys are hashed.")
        await reader.event("Compacted")
        texts = [await reader.prompt(f"go on, please, with number {number}") for number in range(3)]
        assert "".join(texts).count("Cache keys are hashed.") == 1
        assert CACHE not in "".join(texts)

    live(scenario)


def test_before_any_event_of_a_queued_client_a_long_read_comes_in_parts_that_it_lets_through(live: Live) -> None:
    """Without hooks nothing would ever bring what waits."""

    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE, notes=CASES)
        reader = world.agent("s-2", harness="queued")
        parts: list[str] = []
        arguments: dict[str, Any] = {"ids": ["cache-key"], "cwd": reader.cwd}
        for _ in range(9):
            if "case 9" in "".join(parts):
                break
            call = ToolCall(name="kg_read", arguments=arguments, meta={"session": "s-2"}, harness="queued")
            parts.append((await world.service.call(call)).text)
            arguments = {"more": True}
        assert len(parts) > 1
        assert all(Unit.BYTES.measure(part) <= 3_500 for part in parts)

    live(scenario)


def test_an_answer_just_within_what_a_client_takes_is_given_and_one_just_above_waits(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        await writer.put("probe", "Short.", notes=["x" * 3_000])
        await reader.start()
        await reader.prompt("hello there, how do you do")
        left = 3_500 - Unit.BYTES.measure(await reader.call("kg_read", ids=["probe"]))
        for name, size in (("exact", 3_000 + left), ("above", 3_001 + left)):
            await writer.put(name, "Short.", notes=["x" * size])
            await reader.prompt(f"tell the news of {name}, please")
        assert Unit.BYTES.measure(await reader.call("kg_read", ids=["exact"])) == 3_500
        assert "put before you" in await reader.call("kg_read", ids=["above"])

    live(scenario)


def test_a_queued_search_counts_as_shown_only_when_it_has_arrived(live: Live) -> None:
    """A write over a lesson whose newest version still waits is refused."""

    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        for number in range(40):
            await writer.put(f"cache-{number}", f"Cache number {number}. " + "It is a cache. " * 15)
        await reader.start()
        await reader.prompt("hello there, how do you do")
        await writer.put("cache-7", "Cache number 7 is gone. " + "It was a cache. " * 15)
        reader.arrives = False
        assert "put before you" in await reader.call("kg_search", query="cache number 7")
        assert "NOT WRITTEN" in await reader.refused("kg_put_node", level="project", id="cache-7", gist="Mine.")

    live(scenario)


async def filled(reader: Any) -> None:
    """Asks until nothing more can wait."""
    for _ in range(65):
        if (await reader.reply("kg_read", ids=["cache-key"])).is_error:
            return
    raise AssertionError("the queue is never full")


def test_a_refused_reply_leaves_news_untold(live: Live) -> None:
    """Overflow changes nothing: what rode on the refused reply is told another time."""

    async def scenario(world: Any) -> None:
        writer, reader = await begun(world)
        await filled(reader)
        await writer.put("fresh-news", "Queues are emptied in order.")
        assert "Too much is waiting" in await reader.refused("kg_read", ids=["cache-key"])
        texts = [await reader.prompt(f"go on, please, step {n}") for n in range(99)]
        assert sum("Queues are emptied in order." in text for text in texts) == 1

    live(scenario)


def test_two_waiting_replies_do_not_carry_the_same_news(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = await begun(world)
        await writer.put("fresh-news", "Queues are emptied in order.")
        await reader.call("kg_read", ids=["cache-key"])
        await reader.call("kg_read", ids=["cache-key"])
        texts = [await reader.prompt(f"go on, please, step {n}") for n in range(9)]
        assert sum(text.count("Queues are emptied in order.") for text in texts) == 1

    live(scenario)


def test_after_a_compaction_the_preload_finds_room_in_a_full_queue_and_comes_first(live: Live) -> None:
    async def scenario(world: Any) -> None:
        _, reader = await begun(world)
        await filled(reader)
        await reader.event("Compacted")
        first = await reader.prompt("go on, please, with what you do")
        assert first.index("shared memory of all coding agents") < first.index("case 1")
        assert "case 9" in "".join([await reader.prompt(f"go on, please, step {n}") for n in range(99)])

    live(scenario)


def test_a_read_that_waited_over_a_compaction_marks_only_the_gists_that_it_shows(live: Live) -> None:
    """Its lines named lessons by their id alone, as the preload before had shown them; the one after does not."""

    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        await writer.put("kettle-whistle", "Kettles whistle because steam passes two holes.")
        for number in range(32):
            await writer.put(f"other-{number}-{'x' * 100}", f"Other number {number}.")
        await reader.start()
        preload = [await reader.prompt("hello there, how do you do"), await reader.prompt("and on it goes")]
        assert "Kettles whistle" in "".join(preload)
        assert "put before you" in await reader.call("kg_read")
        for number in range(70):
            await writer.put(f"newer-{number}", f"Newer number {number}. " + "Nothing of it. " * 18)
        await reader.event("Compacted")
        texts = [await reader.prompt(f"go on, please, step {n}") for n in range(9)]
        assert not any("Kettles whistle" in text for text in texts)
        assert "shared memory of all coding agents" in texts[0]
        assert any("kettle-whistle (preloaded)" in text for text in texts)
        assert "Kettles whistle" in await reader.prompt("why do kettles whistle when steam passes")

    live(scenario)


def test_a_reply_that_waits_outlives_the_server(live: Live) -> None:
    async def scenario(world: Any) -> None:
        _, reader = await begun(world)
        await reader.call("kg_read", ids=["cache-key"])
        await world.restart()
        assert "case 9" in await reader.prompt("go on, please, with what you do")
        assert "removes 10 of the stored notes" in await reader.refused(
            "kg_put_node", level="project", id="cache-key", gist=CACHE, notes=["mine"]
        )

    live(scenario)
