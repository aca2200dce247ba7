"""Clients that take long texts one packet at a time, until each is acknowledged."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.render import Page
from kg_core.render.block import Mark, MarkKind
from kg_plugin_api import Limit, Unit
from kg_server.contexts import ContextLog
from kg_server.delivery import Queues
from kg_server.interface import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
WIDE = Limit(40_000, Unit.BYTES)


def mark(name: str) -> Mark:
    return Mark(MarkKind.SEEN, "user", name, "v1")


def ignore(context: str, marks: Sequence[Mark], now: int) -> None:
    del context, marks, now


PRELOAD = Mark(MarkKind.PRELOADED, "")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "queues.jsonl"


@pytest.fixture
def opened(log: Path) -> Iterator[Callable[..., Queues]]:
    """Opens the queues of a server, as often as one starts after another was killed."""
    running: list[Queues] = []

    def open_(commit: Callable[[str, Sequence[Mark], int], None] = ignore) -> Queues:
        queues = Queues(commit, ContextLog(log))
        queues.restore(lambda _: True)
        running.append(queues)
        return queues

    yield open_
    for queues in running:
        queues.close()


@pytest.fixture
def queues(opened: Callable[..., Queues]) -> Queues:
    return opened()


def test_a_packet_is_handed_out_again_under_its_id_until_it_is_acknowledged(opened: Callable[..., Queues]) -> None:
    learned: list[Mark] = []
    queues = opened(lambda _, marks, __: learned.extend(marks))
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


def test_what_does_not_fit_one_packet_waits_for_the_next(queues: Queues) -> None:
    queues.add("a", [Page("x" * 60, ()), Page("y" * 80, ())])
    limit = Limit(141, Unit.BYTES)
    first = queues.packet("a", limit)
    assert first is not None
    assert "More of this follows" in first.text
    assert "y" * 80 not in first.text
    queues.acknowledge(first.id, arrived=True, now=1)
    second = queues.packet("a", limit)
    assert second is not None
    assert second.text == "y" * 80


def test_a_full_queue_refuses_and_drops_nothing_but_a_preload_goes_first(queues: Queues) -> None:
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


def test_a_queue_of_many_small_texts_is_full_too(queues: Queues) -> None:
    assert [queues.add("a", [Page("x", ())]) for _ in range(65)] == [True] * 64 + [False]
    assert queues.add("b", [Page("another context's", ())])


def test_after_a_compaction_a_text_that_had_arrived_in_part_comes_from_its_beginning(
    opened: Callable[..., Queues],
) -> None:
    learned: list[Mark] = []
    queues = opened(lambda _, marks, __: learned.extend(marks))
    queues.add("a", [Page("x" * 60, ()), Page("y" * 80, (mark("read"),))])
    first = queues.packet("a", Limit(141, Unit.BYTES))
    assert first is not None
    queues.acknowledge(first.id, arrived=True, now=1)

    queues.rewind("a")

    again = queues.packet("a", WIDE)
    assert again is not None
    assert again.text == "x" * 60 + "\n\n" + "y" * 80
    assert learned == []


def test_what_waits_and_the_packet_that_is_out_outlive_the_server(opened: Callable[..., Queues]) -> None:
    queues = opened()
    learned: list[Mark] = []
    queues.add("a", [Page("one", (mark("one"),))])
    out = queues.packet("a", WIDE)
    queues.add("a", [Page("two", (mark("two"),))])

    after = opened(lambda _, marks, __: learned.extend(marks))

    assert out is not None
    assert after.packet("a", WIDE) == out
    assert after.reserved("a") == (mark("one"), mark("two"))
    assert after.acknowledge(out.id, arrived=True, now=1)
    assert learned == [mark("one")]
    second = after.packet("a", WIDE)
    assert second is not None
    assert second.text == "two"


def test_the_log_of_queues_that_are_empty_holds_nothing(log: Path, queues: Queues) -> None:
    queues.add("a", [Page("one", (mark("one"),))])
    asyncio.run(queues.compact())
    assert b"one" in log.read_bytes()
    out = queues.packet("a", WIDE)
    assert out is not None
    queues.acknowledge(out.id, arrived=True, now=1)

    asyncio.run(queues.compact())

    assert log.read_bytes() == b""


def test_what_waits_for_a_context_that_is_gone_goes_too(queues: Queues) -> None:
    queues.add("a", [Page("one", ())])
    queues.add("b", [Page("two", ())])

    queues.sweep(lambda context: context == "b")

    assert queues.packet("a", WIDE) is None
    assert queues.packet("b", WIDE) is not None


@pytest.mark.parametrize("line", [b"{}", b"[]", b"\xff", b'{"op":"text","context":"a","pages":[[1]]}', b'{"op":"fly"}'])
def test_a_damaged_line_of_the_log_is_passed_over(log: Path, opened: Callable[..., Queues], line: bytes) -> None:
    queues = opened()
    queues.add("a", [Page("one", ())])
    with log.open("ab") as file:
        file.write(line + b"\n")

    packet = opened().packet("a", WIDE)

    assert packet is not None
    assert packet.text == "one"


def read_back(log: Path) -> Queues:
    queues = Queues(ignore, ContextLog(log))
    queues.restore(lambda _: True)
    return queues


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "preload", "packet", "arrive", "lose", "rewind", "rewrite"]), st.integers(1, 4)),
    max_size=25,
)


@given(STEPS)
def test_a_queue_that_is_read_back_is_the_queue_that_was(steps: list[tuple[str, int]]) -> None:
    """Whatever happened before the server was killed, and whether or not the log was rewritten meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "queues.jsonl"
        queues = Queues(ignore, ContextLog(log))
        limit = Limit(140, Unit.BYTES)
        out = None
        for number, (step, size) in enumerate(steps):
            pages = [Page(f"{number}.{page} " + "x" * 30, (mark(f"{number}.{page}"),)) for page in range(size)]
            match step:
                case "add":
                    queues.add("a", pages)
                case "preload":
                    queues.add("a", [*pages, Page("head", (PRELOAD,))])
                case "packet":
                    out = queues.packet("a", limit)
                case "arrive" | "lose" if out is not None:
                    queues.acknowledge(out.id, arrived=step == "arrive", now=1)
                case "rewind":
                    queues.rewind("a")
                case "rewrite":
                    queues.close()
                    after = read_back(log)
                    asyncio.run(after.compact())
                    queues = after
        queues.close()
        after = read_back(log)
        while True:
            assert after.reserved("a") == queues.reserved("a")
            first = queues.packet("a", limit)
            second = after.packet("a", limit)
            assert (first and first.text) == (second and second.text)
            if first is None or second is None:
                break
            queues.acknowledge(first.id, arrived=True, now=1)
            after.acknowledge(second.id, arrived=True, now=1)
        queues.close()
        after.close()


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


def test_before_any_event_of_a_queued_client_a_long_read_comes_in_parts_that_it_lets_through(live: Live) -> None:
    """Without hooks nothing would ever bring what waits."""

    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE, notes=[f"case {n} {'x' * 500}" for n in range(10)])
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
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        await writer.put("cache-key", CACHE, notes=[f"case {n} {'x' * 500}" for n in range(10)])
        await reader.start()
        await reader.prompt("hello there, how do you do")
        await filled(reader)
        await writer.put("fresh-news", "Queues are emptied in order.")
        assert "Too much is waiting" in await reader.refused("kg_read", ids=["cache-key"])
        texts = [await reader.prompt(f"go on, please, step {n}") for n in range(99)]
        assert sum("Queues are emptied in order." in text for text in texts) == 1

    live(scenario)


def test_two_waiting_replies_do_not_carry_the_same_news(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        await writer.put("cache-key", CACHE, notes=[f"case {n} {'x' * 500}" for n in range(10)])
        await reader.start()
        await reader.prompt("hello there, how do you do")
        await writer.put("fresh-news", "Queues are emptied in order.")
        await reader.call("kg_read", ids=["cache-key"])
        await reader.call("kg_read", ids=["cache-key"])
        texts = [await reader.prompt(f"go on, please, step {n}") for n in range(9)]
        assert sum(text.count("Queues are emptied in order.") for text in texts) == 1

    live(scenario)


def test_after_a_compaction_the_preload_finds_room_in_a_full_queue_and_comes_first(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        await writer.put("cache-key", CACHE, notes=[f"case {n} {'x' * 500}" for n in range(10)])
        await reader.start()
        await reader.prompt("hello there, how do you do")
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
        writer, reader = world.agent("s-1"), world.agent("s-2", harness="queued")
        await writer.put("cache-key", CACHE, notes=[f"case {n} {'x' * 500}" for n in range(10)])
        await reader.start()
        await reader.prompt("hello there, how do you do")
        await reader.call("kg_read", ids=["cache-key"])
        await world.restart()
        assert "case 9" in await reader.prompt("go on, please, with what you do")
        assert "removes 10 of the stored notes" in await reader.refused(
            "kg_put_node", level="project", id="cache-key", gist=CACHE, notes=["mine"]
        )

    live(scenario)
