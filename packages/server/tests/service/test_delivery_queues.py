"""What waits for a client: handed out one packet at a time until each is acknowledged, and kept over a restart."""

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
from kg_server.delivery import Queues
from kg_server.linelog import LineLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
        queues = Queues(commit, LineLog(log))
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


def test_what_could_not_be_written_down_is_once_that_is_possible_again(
    log: Path, opened: Callable[..., Queues]
) -> None:
    queues = opened()
    log.mkdir()
    queues.add("a", [Page("one", (mark("one"),))])
    log.rmdir()
    queues.add("a", [Page("two", (mark("two"),))])

    asyncio.run(queues.compact())

    assert opened().reserved("a") == (mark("one"), mark("two"))


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
    queues = Queues(ignore, LineLog(log))
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
        queues = Queues(ignore, LineLog(log))
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
