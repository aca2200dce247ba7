"""What a write brings with it: votes for later cases, and the counts of edges into the user's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import MAINTAIN, USER, Change, Edge, Graph, Node, Stamp, StampKind, to_iso
from kg_core.policy.consequences import consequences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHOP, TILL = "project:shop", "project:till"


def lesson(node_id: str, created: int = 1_000) -> dict[str, Node]:
    return {node_id: Node(id=node_id, gist=f"the gist of {node_id}", created=created)}


def tied(source: str, target: str, rel: str = "instance-of") -> dict[Any, Edge]:
    edge = Edge(source=source, rel=rel, target=target)
    return {edge.key: edge}


def graphs_of(*graphs: Graph) -> dict[str, Graph]:
    return {graph.key: graph for graph in graphs}


def made(graphs: Mapping[str, Graph], *changes: Change) -> dict[str, Graph]:
    """The graphs after the changes and all that they bring."""
    after = dict(graphs)
    for change in changes:
        after[change.graph] = after[change.graph].apply(change)
    for change in consequences(changes, graphs, after):
        after[change.graph] = after[change.graph].apply(change)
    return after


def test_a_case_that_arrives_with_its_edge_is_a_vote_for_its_lesson() -> None:
    graphs = graphs_of(Graph.build(SHOP, nodes=lesson("rule")))

    after = made(graphs, Change(graph=SHOP, nodes=lesson("case", 2_000), edges=tied("case", "rule")))

    use = after[SHOP].use_of("rule")
    assert use.stamps == (Stamp(2_000, StampKind.RECURRENCE),)
    assert use.recurrence == (to_iso(2_000),)


def test_an_edge_that_was_there_before_its_case_or_its_lesson_counts_when_both_are() -> None:
    waiting = graphs_of(Graph.build(SHOP, edges=tied("case", "rule")))

    for first, second in [(lesson("rule"), lesson("case", 2_000)), (lesson("case", 2_000), lesson("rule"))]:
        halfway = made(waiting, Change(graph=SHOP, nodes=first))
        after = made(halfway, Change(graph=SHOP, nodes=second))

        assert not halfway[SHOP].use
        assert len(after[SHOP].use_of("rule").stamps) == 1


def test_a_lesson_that_is_no_older_than_its_case_gets_no_vote() -> None:
    together = {**lesson("rule"), **lesson("case")}

    after = made(graphs_of(Graph.build(SHOP)), Change(graph=SHOP, nodes=together, edges=tied("case", "rule")))

    assert not after[SHOP].use


def test_two_cases_of_one_write_are_two_votes() -> None:
    graphs = graphs_of(Graph.build(SHOP, nodes=lesson("rule")))
    cases = {**lesson("one", 2_000), **lesson("two", 3_000)}

    after = made(graphs, Change(graph=SHOP, nodes=cases, edges={**tied("one", "rule"), **tied("two", "rule")}))

    assert [stamp.at for stamp in after[SHOP].use_of("rule").stamps] == [2_000, 3_000]


def test_only_a_case_of_a_project_is_a_vote_for_a_lesson_of_the_user() -> None:
    graphs = graphs_of(Graph.build(USER, nodes=lesson("rule")), Graph.build(SHOP), Graph.build(MAINTAIN))
    arrives = {"nodes": lesson("case", 2_000), "edges": tied("case", "user:rule")}

    assert not made(graphs, Change(graph=MAINTAIN, **arrives))[USER].use
    assert len(made(graphs, Change(graph=SHOP, **arrives))[USER].use_of("rule").stamps) == 1


def test_a_graph_that_is_not_at_hand_is_left_alone() -> None:
    graphs = graphs_of(Graph.build(SHOP))

    assert consequences([Change(graph=SHOP, edges=tied("case", "user:rule"))], graphs, graphs) == ()


def test_edges_into_a_user_node_are_counted_by_project_also_when_it_comes_after_them() -> None:
    graphs = graphs_of(Graph.build(USER), Graph.build(SHOP), Graph.build(TILL))
    edges = {**tied("one", "user:rule", "needs"), **tied("two", "user:rule", "needs")}

    asleep = made(graphs, Change(graph=SHOP, edges=edges), Change(graph=TILL, edges=tied("user:rule", "one", "guards")))
    awake = made(asleep, Change(graph=USER, nodes=lesson("rule")))
    fewer = made(awake, Change(graph=SHOP, edges=dict.fromkeys(edges)))

    assert not asleep[USER].use
    assert awake[USER].use_of("rule").inbound == (("shop", 2), ("till", 1))
    assert fewer[USER].use_of("rule").inbound == (("till", 1),)


names = st.sampled_from(["alpha", "beta", "gamma"])
ends = st.one_of(names, names.map("user:".__add__), st.just("src/a.py"))
lessons = st.dictionaries(names, st.integers(1, 4)).map(
    lambda found: {node_id: lesson(node_id, created)[node_id] for node_id, created in found.items()}
)
relations = st.lists(st.builds(Edge, source=ends, rel=st.sampled_from(["instance-of", "needs"]), target=ends)).map(
    lambda found: {edge.key: edge for edge in found}
)
arrivals = st.builds(Change, graph=st.sampled_from([USER, SHOP, MAINTAIN]), nodes=lessons, edges=relations)


@given(arrivals=st.lists(arrivals, max_size=4))
def test_the_same_arrivals_once_more_bring_nothing(arrivals: Sequence[Change]) -> None:
    once = graphs_of(*(Graph.build(key) for key in (USER, SHOP, MAINTAIN)))
    for arrival in arrivals:
        once = made(once, arrival)

    final = [Change(graph=key, nodes=graph.nodes, edges=graph.edges) for key, graph in once.items()]

    again = made(once, *final)
    assert {key: graph.use for key, graph in made(again, *final).items()} == {k: g.use for k, g in again.items()}
    for graph in again.values():
        for use in graph.use.values():
            assert len(use.recurrence) == len(set(use.recurrence)) == len(use.stamps)
