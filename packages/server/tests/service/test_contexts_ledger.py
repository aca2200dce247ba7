"""What a context knows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import Node
from kg_core.render.block import Mark, MarkKind
from kg_server.contexts import Covered, Ledger, Span

GRAPH = "project:shop"
OLD = Node(id="cache-key", gist="Cache keys include the tenant.")
NEW = Node(id="cache-key", gist="Cache keys include tenant and region.")

node_marks = st.builds(
    Mark,
    kind=st.sampled_from([MarkKind.SEEN, MarkKind.READ, MarkKind.WROTE, MarkKind.PRELOADED, MarkKind.WARNED]),
    graph=st.sampled_from(["user", GRAPH]),
    id=st.sampled_from(["one", "two"]),
    version=st.sampled_from(["v1", "v2"]),
)
other_marks = st.one_of(
    st.builds(
        lambda after, size: Mark(MarkKind.PUSHED, "", "", str(Span(after, after + size))),
        st.integers(0, 30),
        st.integers(0, 9),
    ),
    st.builds(lambda n: Mark(MarkKind.SYNCED, "", "", str(n)), st.integers(0, 30)),
    st.builds(lambda g: Mark(MarkKind.FULL, g), st.sampled_from(["user", GRAPH])),
    st.builds(lambda n: Mark(MarkKind.NOTICED, "", n), st.sampled_from(["a", "b"])),
    st.just(Mark(MarkKind.PRELOADED, "")),
)
marks = st.lists(st.one_of(node_marks, other_marks), max_size=20)


def shown(kind: MarkKind, node: Node) -> Mark:
    return Mark(kind, GRAPH, node.id, node.version)


def test_a_gist_that_was_shown_is_viewed_but_not_read() -> None:
    ledger = Ledger().apply(shown(MarkKind.SEEN, OLD), at=5)
    assert ledger.has_viewed(GRAPH, OLD)
    assert not ledger.has_read(GRAPH, OLD)
    assert ledger.of(GRAPH, OLD.id).viewed_at == 5


def test_a_node_that_was_read_is_viewed_too() -> None:
    ledger = Ledger().apply(shown(MarkKind.READ, OLD), at=5)
    assert ledger.has_viewed(GRAPH, OLD)
    assert ledger.has_read(GRAPH, OLD)


def test_what_is_known_is_known_of_one_version_on_one_level() -> None:
    ledger = Ledger().apply(shown(MarkKind.READ, OLD), at=5)
    assert not ledger.has_viewed(GRAPH, NEW)
    assert not ledger.has_viewed("user", OLD)


def test_a_newer_gist_leaves_the_older_reading_unread() -> None:
    ledger = Ledger().apply_all([shown(MarkKind.READ, OLD), shown(MarkKind.SEEN, NEW)], at=5)
    assert ledger.has_viewed(GRAPH, NEW)
    assert not ledger.has_read(GRAPH, NEW)


def test_a_reset_forgets_what_was_shown_and_keeps_what_was_announced() -> None:
    ledger = Ledger().apply_all(
        [
            shown(MarkKind.READ, OLD),
            Mark(MarkKind.PRELOADED, ""),
            Mark(MarkKind.FULL, GRAPH),
            Mark(MarkKind.PUSHED, "", "", "0-7"),
            Mark(MarkKind.SYNCED, "", "", "4"),
        ],
        at=5,
    )
    after = ledger.reset()
    assert not after.has_viewed(GRAPH, OLD)
    assert not after.is_introduced_to([GRAPH])
    assert (after.pushed.floor, after.synced) == (7, 4)


def test_a_model_is_introduced_by_the_preload_or_by_a_full_read_of_every_level() -> None:
    assert Ledger().apply(Mark(MarkKind.PRELOADED, ""), 1).is_introduced_to(["user", GRAPH])
    assert not Ledger().apply(Mark(MarkKind.FULL, "user"), 1).is_introduced_to(["user", GRAPH])
    both = Ledger().apply_all([Mark(MarkKind.FULL, "user"), Mark(MarkKind.FULL, GRAPH)], 1)
    assert both.is_introduced_to(["user", GRAPH])


@given(marks, marks)
def test_a_mark_applied_again_at_once_changes_nothing(before: list[Mark], again: list[Mark]) -> None:
    ledger = Ledger().apply_all(before, 3)
    for mark in again:
        once = ledger.apply(mark, 3)
        assert once.apply(mark, 3) == once
        ledger = once


@given(marks)
def test_the_marks_of_a_ledger_restore_it(given_marks: list[Mark]) -> None:
    ledger = Ledger().apply_all(given_marks, 3)
    restored = Ledger()
    for at, mark in ledger.marks():
        restored = restored.apply(mark, at)
    assert restored == ledger


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=15))
def test_covered_holds_exactly_the_sequences_of_its_spans(pairs: list[tuple[int, int]]) -> None:
    spans = [Span(after, after + size) for after, size in pairs]
    covered = Covered()
    for span in spans:
        covered = covered.add(span)
    told = {n for span in spans for n in range(span.after + 1, span.last + 1)}
    assert {n for n in range(60) if n in covered} == told
    expected_floor = next(n for n in range(60) if n + 1 not in told)
    assert covered.floor == expected_floor


def test_a_delivery_that_never_arrived_leaves_its_gap_open() -> None:
    covered = Covered().add(Span(0, 3)).add(Span(5, 8))
    assert covered.floor == 3
    assert 4 not in covered
    assert covered.add(Span(3, 5)).floor == 8


def test_a_span_reads_back_what_it_wrote_and_nothing_else() -> None:
    assert Span.parse(str(Span(3, 9))) == Span(3, 9)
    assert Span.parse("nonsense") == Span(0, 0)
    assert Span.parse("1-²") == Span(0, 0)
