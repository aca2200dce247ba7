"""How long deletions are remembered, against the rule said in words."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from kg_core.model import DAY, Graph, Node, Tombstone, Written
from kg_core.model.steps import at_once
from kg_core.policy.forgetting import DAYS, forgotten_steps

NOW = 1_790_000_000_000
YEAR = 365 * DAY
_TIMES = st.integers(NOW - 5 * DAY, NOW + 5 * DAY)


def graph(deleted: list[int], written: list[int | None]) -> Graph:
    nodes = {
        f"n{number}": Node(id=f"n{number}", gist="x", written=at and Written(at=at, by="c", author="c"))
        for number, at in enumerate(written)
    }
    stones = {f"gone{number}": Tombstone(at=at, by="c") for number, at in enumerate(deleted)}
    return Graph.build("user", nodes=nodes, tombstones=stones)


@example([NOW - YEAR - 3 * DAY], [NOW - days * DAY for days in (1, 5, 6, 7)])
@example([NOW - YEAR - 3 * DAY], [NOW - days * DAY for days in (0, 1, 2, 7)])
@given(st.lists(_TIMES.map(lambda at: at - YEAR), max_size=4), st.lists(st.none() | _TIMES, max_size=8))
def test_a_deletion_goes_after_a_year_that_three_days_of_writing_bear_out(
    deleted: list[int], written: list[int | None]
) -> None:
    memory = graph(deleted, written)

    found = at_once(forgotten_steps(memory, NOW))

    for node_id, stone in memory.tombstones.items():
        since = {at // DAY for at in written if at and at <= NOW and at // DAY * DAY > stone.at + YEAR}
        assert (node_id in found) is (stone.at + YEAR < NOW and len(since) >= DAYS)
    assert all(memory.tombstones[node_id] is stone for node_id, stone in found.items())


def test_a_deletion_is_forgotten_in_steps_that_are_short() -> None:
    memory = graph([NOW - 2 * YEAR], [NOW - number for number in range(10_000)])

    assert sum(1 for _ in forgotten_steps(memory, NOW)) == 5
    assert list(forgotten_steps(graph([], [NOW]), NOW)) == []
