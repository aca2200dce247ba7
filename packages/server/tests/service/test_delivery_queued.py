"""Clients that take long texts one packet at a time, until each is acknowledged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.render import Page
from kg_core.render.block import Mark, MarkKind
from kg_plugin_api import Limit, Unit
from kg_server.delivery import Queues

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
WIDE = Limit(40_000, Unit.BYTES)


def mark(name: str) -> Mark:
    return Mark(MarkKind.SEEN, "user", name, "v1")


def ignore(context: str, marks: Sequence[Mark], now: int) -> None:
    del context, marks, now


def test_a_packet_is_handed_out_again_under_its_id_until_it_is_acknowledged() -> None:
    learned: list[Mark] = []
    queues = Queues(lambda _, marks, __: learned.extend(marks))
    assert queues.add("a", [Page("one", (mark("one"),)), Page("two", (mark("two"),))])
    first = queues.packet("a", WIDE)
    assert first is not None
    assert queues.packet("a", WIDE) == first
    assert queues.acknowledge(first.id, arrived=False, now=1)
    assert queues.packet("a", WIDE) == first
    assert learned == []
    assert queues.reserved("a") == (mark("one"), mark("two"))
    assert queues.acknowledge(first.id, arrived=True, now=2)
    assert learned == [mark("one"), mark("two")]
    assert queues.packet("a", WIDE) is None
    assert not queues.acknowledge(first.id, arrived=True, now=3)


def test_what_does_not_fit_one_packet_waits_for_the_next() -> None:
    queues = Queues(ignore)
    queues.add("a", [Page("x" * 60, ()), Page("y" * 60, ())])
    limit = Limit(100, Unit.BYTES)
    first = queues.packet("a", limit)
    assert first is not None
    assert "More follows" in first.text
    assert "y" * 60 not in first.text
    queues.acknowledge(first.id, arrived=True, now=1)
    second = queues.packet("a", limit)
    assert second is not None
    assert second.text == "y" * 60


def test_a_full_queue_refuses_and_drops_nothing_but_a_preload_goes_first() -> None:
    queues = Queues(ignore)
    while queues.add("a", [Page("x" * 30_000, ())]):
        pass
    before = queues.packet("a", Limit(30_100, Unit.BYTES))
    assert before is not None
    queues.rewind("a")
    assert queues.add("a", [Page("the preload", (Mark(MarkKind.PRELOADED, ""),))])
    packet = queues.packet("a", WIDE)
    assert packet is not None
    assert packet.text.startswith("the preload")
    assert not queues.acknowledge(before.id, arrived=True, now=1)


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
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        await writer.put("cache-key", CACHE, notes=[f"case {n} {'x' * 500}" for n in range(10)])
        await reader.start()
        await reader.prompt("hello there, how do you do")
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
