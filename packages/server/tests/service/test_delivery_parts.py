"""Reservations, duplicates, frames and parts of long replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.render import Page
from kg_core.render.block import Mark, MarkKind
from kg_plugin_api import Caller, Event, EventKind, Limit, StartSource, ToolUse, Unit
from kg_server.contexts import Bindings, ContextKey
from kg_server.delivery import EVENT_LIFE, Deliveries, Duplicates, Pages, framed, within_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

ONE = Mark(MarkKind.SEEN, "user", "one", "v1")
TWO = Mark(MarkKind.SEEN, "user", "two", "v1")


class Book:
    """Remembers what was committed."""

    def __init__(self) -> None:
        self.committed: list[tuple[str, tuple[Mark, ...]]] = []

    def commit(self, context: str, marks: Sequence[Mark], now: int) -> None:
        del now
        self.committed.append((context, tuple(marks)))


@pytest.fixture
def book() -> Book:
    return Book()


def test_marks_on_their_way_are_reserved_for_their_context_alone(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    deliveries.reserve("a", [ONE], now=0, life=100)
    assert deliveries.reserved("a", 50) == (ONE,)
    assert deliveries.reserved("b", 50) == ()
    assert book.committed == []


def test_marks_come_true_when_the_text_has_arrived(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    delivery = deliveries.reserve("a", [ONE, TWO], now=0, life=100)
    assert deliveries.acknowledge(delivery, arrived=True, now=10)
    assert book.committed == [("a", (ONE, TWO))]
    assert deliveries.reserved("a", 10) == ()


def test_marks_of_a_text_that_did_not_arrive_are_dropped(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    delivery = deliveries.reserve("a", [ONE], now=0, life=100)
    assert deliveries.acknowledge(delivery, arrived=False, now=10)
    assert deliveries.reserved("a", 10) == ()
    assert book.committed == []
    assert deliveries.was_dropped(delivery, 10)


def test_after_the_deadline_a_text_counts_as_lost(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    delivery = deliveries.reserve("a", [ONE], now=0, life=100)
    assert deliveries.reserved("a", 101) == ()
    assert not deliveries.acknowledge(delivery, arrived=True, now=101)
    assert book.committed == []
    assert deliveries.was_dropped(delivery, 101)


def test_a_clock_that_is_set_back_keeps_no_text_on_its_way(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    lost = deliveries.reserve("c", [ONE], now=10_000_000, life=EVENT_LIFE)
    assert deliveries.reserved("c", 10_000_000 - EVENT_LIFE) == (ONE,), "a small step back is no matter"
    assert deliveries.reserved("c", 1_000_000) == ()
    assert deliveries.was_dropped(lost, 1_000_000)
    assert not deliveries.acknowledge(lost, arrived=True, now=1_000_000)


def test_a_second_acknowledgement_changes_nothing(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    delivery = deliveries.reserve("a", [ONE], now=0, life=100)
    assert deliveries.acknowledge(delivery, arrived=True, now=1)
    assert not deliveries.acknowledge(delivery, arrived=True, now=2)
    assert not deliveries.acknowledge(delivery, arrived=False, now=3)
    assert not deliveries.acknowledge("unknown", arrived=True, now=3)
    assert len(book.committed) == 1


def test_a_context_whose_text_is_gone_learns_nothing_from_what_was_on_its_way(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    delivery = deliveries.reserve("a", [ONE], now=0, life=100)
    deliveries.forget("a")
    assert not deliveries.acknowledge(delivery, arrived=True, now=1)
    assert book.committed == []


@given(st.text(max_size=200))
def test_no_stored_text_can_close_the_frame(text: str) -> None:
    whole = framed(text)
    opening, closing = whole.split("\n")[0], whole.rsplit("\n", 1)[1]
    assert whole == f"{opening}\n{text}\n{closing}"
    assert closing not in text
    assert whole.count(closing) == 1


def test_a_text_that_holds_an_earlier_frame_gets_another_seal() -> None:
    earlier = framed("a lesson")
    again = framed(earlier)
    assert again.rsplit("\n", 1)[1] not in earlier


def test_the_same_text_gets_the_same_frame() -> None:
    assert framed("a lesson") == framed("a lesson")


@pytest.mark.parametrize("unit", list(Unit))
def test_a_text_that_fits_the_room_fits_the_limit_in_its_frame(unit: Unit) -> None:
    limit = Limit(500, unit)
    text = "x" * within_frame(limit).maximum
    assert limit.measure(framed(text)) == 500


def prompt(text: str, *, session: str = "s", agent: str = "") -> Event:
    return Event(kind=EventKind.PROMPT, native="Prompt", session=session, agent=agent, prompt=text)


def test_the_same_event_told_twice_at_once_is_repeated() -> None:
    duplicates = Duplicates()
    assert not duplicates.is_repeated("claude", prompt("hello"), 1_000)
    assert duplicates.is_repeated("claude", prompt("hello"), 1_030)
    assert not duplicates.is_repeated("claude", prompt("hello"), 10_000)


def test_different_events_are_no_duplicates() -> None:
    duplicates = Duplicates()
    events = [
        prompt("hello"),
        prompt("hello again"),
        prompt("hello", session="other"),
        prompt("hello", agent="a1"),
        Event(kind=EventKind.SESSION_START, native="Start", session="s", source=StartSource.RESUME),
        Event(kind=EventKind.SESSION_START, native="Start", session="s", source=StartSource.COMPACT),
        Event(kind=EventKind.AFTER_TOOL, native="After", session="s", tool=ToolUse(name="Read", id="t1")),
        Event(kind=EventKind.AFTER_TOOL, native="After", session="s", tool=ToolUse(name="Read", id="t2")),
    ]
    assert not any(duplicates.is_repeated("claude", event, 1_000) for event in events)
    assert all(duplicates.is_repeated("claude", event, 1_001) for event in events)


def test_a_tool_event_without_an_id_is_never_a_duplicate() -> None:
    duplicates = Duplicates()
    event = Event(kind=EventKind.AFTER_TOOL, native="After", session="s", tool=ToolUse(name="Read"))
    assert not duplicates.is_repeated("claude", event, 1)
    assert not duplicates.is_repeated("claude", event, 2)


def test_parts_are_handed_out_in_order_and_once(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    pages = Pages(deliveries)
    pages.start("a", [Page("first", (ONE,)), Page("second", (TWO,))])
    first, second = pages.next("a", 0), pages.next("a", 0)
    assert first is not None
    assert second is not None
    assert (first.page.text, first.number, first.total, first.is_last) == ("first", 1, 2, False)
    assert (second.page.text, second.is_last) == ("second", True)
    assert pages.next("a", 0) is None
    assert pages.next("b", 0) is None


def test_a_part_that_did_not_arrive_is_handed_out_again(book: Book) -> None:
    deliveries = Deliveries(book.commit)
    pages = Pages(deliveries)
    pages.start("a", [Page("first", (ONE,)), Page("second", (TWO,))])
    assert pages.next("a", 0) is not None
    delivery = deliveries.reserve("a", [ONE], now=0, life=100)
    pages.sent("a", delivery)
    deliveries.acknowledge(delivery, arrived=False, now=1)
    again = pages.next("a", 2)
    assert again is not None
    assert again.page.text == "first"


def test_a_new_reply_takes_the_place_of_an_earlier_one(book: Book) -> None:
    pages = Pages(Deliveries(book.commit))
    pages.start("a", [Page("old one", ()), Page("old two", ())])
    pages.next("a", 0)
    pages.start("a", [Page("new", ())])
    part = pages.next("a", 0)
    assert part is not None
    assert part.page.text == "new"
    pages.forget("a")
    assert pages.next("a", 0) is None


def test_a_call_belongs_to_whom_the_harness_names() -> None:
    bindings = Bindings()
    bindings.expect("toolu_1", ContextKey("claude", "other"))
    caller = Caller(session="s", agent="a", tool_use="toolu_1")
    assert bindings.resolve("codex", caller, "") == ContextKey("codex", "s", "a")


def test_a_call_belongs_to_the_hook_that_told_of_it() -> None:
    bindings = Bindings()
    bindings.expect("toolu_1", ContextKey("claude", "s", "a"))
    assert bindings.resolve("claude", Caller(tool_use="toolu_1"), "") == ContextKey("claude", "s", "a")
    assert bindings.resolve("claude", Caller(tool_use="toolu_2"), "") is None


def test_a_call_that_no_hook_told_of_belongs_to_the_last_one_behind_its_shim() -> None:
    bindings = Bindings()
    bindings.expect("toolu_1", ContextKey("claude", "s"))
    assert bindings.fallback("claude", "shim-1") == ContextKey("claude", "shim:shim-1")
    bindings.resolve("claude", Caller(tool_use="toolu_1"), "shim-1")
    assert bindings.fallback("claude", "shim-1") == ContextKey("claude", "s")
    assert bindings.fallback("claude", "shim-2") == ContextKey("claude", "shim:shim-2")


def test_what_is_remembered_of_calls_is_bounded() -> None:
    bindings = Bindings()
    for number in range(5_000):
        bindings.expect(f"toolu_{number}", ContextKey("claude", f"s-{number}"))
    assert bindings.resolve("claude", Caller(tool_use="toolu_0"), "") is None
    assert bindings.resolve("claude", Caller(tool_use="toolu_4999"), "") == ContextKey("claude", "s-4999")
