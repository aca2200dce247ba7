"""Scores, the fresh tier, and what explains a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import DAY, Edge, EdgeKey, Graph, Node, Stamp, StampKind, Tier, Use, Written
from kg_core.model.steps import at_once
from kg_core.policy.fresh import FRESH_BUDGET, fresh_steps
from kg_core.policy.score import Explanation, explained, percentile_steps, score_steps

if TYPE_CHECKING:
    from collections.abc import Collection

NOW = 1_000 * DAY


def scores(graph: Graph, pool: Collection[str], now: int) -> dict[str, float]:
    return at_once(score_steps(graph, pool, now))


def explain(graph: Graph, node_id: str, pool: Collection[str], now: int, user: Graph | None = None) -> Explanation:
    return at_once(explained(graph, node_id, pool, now, user))


def fresh(graph: Graph, budget: int = FRESH_BUDGET) -> frozenset[str]:
    return at_once(fresh_steps(graph, None, budget))


def graph(use: dict[str, Use], edges: list[tuple[str, str, str]], key: str = "project:x", gist: str = "gist") -> Graph:
    keys = [EdgeKey(*each) for each in edges]
    return Graph.build(
        key,
        nodes={node_id: Node(id=node_id, gist=gist) for node_id in use},
        use=use,
        edges={key: Edge(source=key.source, rel=key.rel, target=key.target) for key in keys},
    )


EXAMPLE = graph(
    {
        "a": Use(activity_at=NOW - 5 * DAY),
        "b": Use(activity_at=NOW - 5 * DAY, read_at=NOW - DAY),
        "c": Use(
            activity_at=NOW - 5 * DAY,
            stamps=(Stamp(NOW, StampKind.ENDORSEMENT), Stamp(NOW - 90 * DAY, StampKind.NOTE)),
        ),
        "d": Use(activity_at=NOW - 20 * DAY),
        "e": Use(activity_at=NOW - 5 * DAY, tier=Tier.ARCHIVED),
    },
    [("a", "r", "b"), ("a", "r", "c"), ("d", "r", "a"), ("e", "r", "a"), ("a", "r", "src/x.py")],
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([3.0], [0.5]),
        ([1.0, 2.0, 3.0], [0.0, 0.5, 1.0]),
        ([3.0, 1.0], [1.0, 0.0]),
        ([1.0, 1.0, 1.0], [0.5, 0.5, 0.5]),
        ([0.0, 0.0, 5.0], [0.25, 0.25, 1.0]),
        ([2.0, 1.0, 2.0, 3.0], [0.5, 0.0, 0.5, 1.0]),
    ],
)
def test_equal_values_share_their_place(values: list[float], expected: list[float]) -> None:
    assert at_once(percentile_steps(values)) == expected


def test_scores_in_the_active_pool() -> None:
    found = scores(EXAMPLE, "abcd", NOW)
    assert found == pytest.approx({"a": 0.6, "b": 0.48333, "c": 0.8, "d": 0.11667}, abs=1e-5)


def test_scores_in_the_pool_with_archived_nodes() -> None:
    found = scores(EXAMPLE, "abcde", NOW)
    expected = {"a": 0.625, "b": 0.56875, "c": 0.85, "d": 0.18125, "e": 0.275}
    assert found == pytest.approx(expected, abs=1e-5)


def test_a_score_is_explained_by_raw_values_and_percentiles() -> None:
    why = explain(EXAMPLE, "a", "abcd", NOW)
    assert (why.recency.raw, why.usefulness.raw) == (NOW - 5 * DAY, 0.0)
    assert why.connectedness.raw == pytest.approx(0.66 * 1.2 + 0.33 * 2)
    assert (why.connectedness.percentile, why.connectedness.weight) == (1.0, 0.4)
    assert (why.score, why.pool, why.in_pool) == (pytest.approx(0.6), 4, True)
    assert not explain(EXAMPLE, "e", "abcd", NOW).in_pool


def test_maintenance_credits_count_as_useful_but_not_as_activity() -> None:
    use = Use(activity_at=NOW - 9 * DAY, stamps=(Stamp(NOW, StampKind.MAINTENANCE),))
    why = explain(graph({"a": use}, []), "a", ["a"], NOW)
    assert (why.recency.raw, why.usefulness.raw) == (NOW - 9 * DAY, 1.0)


def test_a_future_time_counts_as_now() -> None:
    use = Use(activity_at=NOW + DAY, stamps=(Stamp(NOW + DAY, StampKind.NOTE),))
    why = explain(graph({"a": use}, []), "a", ["a"], NOW)
    assert (why.recency.raw, why.usefulness.raw) == (NOW, 1.0)


def test_without_recorded_activity_the_last_write_or_the_creation_counts() -> None:
    written = Node(id="a", gist="A", created=1, written=Written(at=5, by="c", author="c"))
    level = Graph.build("user", nodes={"a": written, "b": Node(id="b", gist="B", created=3)})
    assert [explain(level, each, "ab", NOW).recency.raw for each in "ab"] == [5, 3]


def test_dormant_ends_count_nothing_and_project_edges_count_for_a_user_node() -> None:
    level = graph({"a": Use(), "b": Use(inbound=(("x", 2), ("y", 1)))}, [("a", "r", "nothing")], key="user")
    assert explain(level, "a", "ab", NOW).connectedness.raw == 0.0
    assert explain(level, "b", "ab", NOW).connectedness.raw == pytest.approx(0.66 * 3)


def test_an_edge_to_a_user_node_weighs_what_its_tier_says_when_the_user_graph_is_known() -> None:
    user = graph({"rule": Use(), "sunk": Use(tier=Tier.ARCHIVED)}, [], key="user")
    level = graph({"a": Use(), "b": Use()}, [("a", "r", "user:rule"), ("a", "s", "user:sunk")])
    assert explain(level, "a", "ab", NOW, user).connectedness.raw == pytest.approx(0.5493, abs=1e-4)
    single = graph({"a": Use(), "b": Use()}, [("a", "r", "user:gone")])
    assert explain(single, "a", "ab", NOW, user).connectedness.raw == 0.0
    assert explain(single, "a", "ab", NOW).connectedness.raw > 0.3


@st.composite
def levels(draw: st.DrawFn) -> tuple[dict[str, Use], list[tuple[str, str, str]]]:
    ids = draw(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1))
    times = st.integers(0, NOW + DAY)
    stamps = st.lists(st.builds(Stamp, times, st.sampled_from(list(StampKind))), max_size=3).map(tuple)
    use = {
        node_id: draw(st.builds(Use, tier=st.sampled_from(list(Tier)), activity_at=times, read_at=times, stamps=stamps))
        for node_id in ids
    }
    ends = st.sampled_from([*ids, "src/x.py", "user:u", "nothing"])
    return use, draw(st.lists(st.tuples(ends, st.sampled_from("rs"), ends), max_size=15))


@given(levels())
def test_scores_are_between_0_and_1_and_do_not_depend_on_names(
    level: tuple[dict[str, Use], list[tuple[str, str, str]]],
) -> None:
    use, edges = level
    names = {node_id: f"{chr(ord('z') - number)}-renamed" for number, node_id in enumerate(use)}
    renamed = graph(
        {names[node_id]: each for node_id, each in use.items()},
        [(names.get(source, source), rel, names.get(target, target)) for source, rel, target in edges],
    )
    before = scores(graph(use, edges), list(use), NOW)
    after = scores(renamed, [names[node_id] for node_id in reversed(use)], NOW)
    assert all(0.0 <= score <= 1.0 for score in before.values())
    assert {names[node_id]: score for node_id, score in before.items()} == after


def aged(count: int, gist: str, edges: list[tuple[str, str, str]], sizes: dict[str, int] | None = None) -> Graph:
    nodes = {f"n{at}": Node(id=f"n{at}", gist=gist * (sizes or {}).get(f"n{at}", 1), created=at) for at in range(count)}
    keys = [EdgeKey(*each) for each in edges]
    return Graph.build(
        "user",
        nodes=nodes,
        edges={key: Edge(source=key.source, rel=key.rel, target=key.target) for key in keys},
    )


@pytest.mark.parametrize(
    ("budget", "members"),
    [
        (46, set()),
        (60, {"n2"}),
        (90, {"n4"}),
        (140, {"n3", "n4"}),
        (200, {"n2", "n3", "n4"}),
        (6_600, {"n0", "n1", "n2", "n3", "n4"}),
    ],
)
def test_the_newest_are_fresh_while_they_fit(budget: int, members: set[str]) -> None:
    level = aged(5, "x" * 40, [("n4", "rel", "n3"), ("n0", "rel", "n4")])
    assert fresh(level, budget) == members


def test_one_big_node_does_not_empty_the_fresh_tier() -> None:
    level = aged(30, "x" * 100, [], {"n29": 70})
    assert fresh(level) == {f"n{at}" for at in range(29)}


def test_orphaned_nodes_are_never_fresh() -> None:
    level = aged(200, "x" * 100, [])
    newest = fresh(level)
    orphaned = Graph.build("user", nodes=level.nodes, use=dict.fromkeys(newest, Use(tier=Tier.ORPHANED)))
    assert not fresh(orphaned) & newest
