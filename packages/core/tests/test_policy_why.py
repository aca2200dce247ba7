"""Why a node is in sight or not; what is said of the ways back is what happens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model import Change, Graph, Node, Stamp, StampKind, Tier, Use
from kg_core.model.steps import at_once
from kg_core.policy import Budget, planned
from kg_core.policy import score as scoring
from kg_core.policy.credits import endorsed
from kg_core.policy.why import Why, brought_back, why
from kg_core.render import archived_charge, charge

NOW = 1_000_000_000
SMALL = Budget(most=400, fill=320, fresh=120, archived=60)


def level(count: int, tiers: dict[int, Tier], votes: dict[int, int]) -> Graph:
    ids = [f"node-{number:02d}" for number in range(count)]
    return Graph.build(
        "user",
        nodes={node_id: Node(id=node_id, gist="x" * 40, created=1 + at) for at, node_id in enumerate(ids)},
        use={
            node_id: Use(
                tier=tiers.get(at, Tier.ACTIVE),
                stamps=tuple(Stamp(NOW, StampKind.ENDORSEMENT, str(n)) for n in range(votes.get(at, 0))),
            )
            for at, node_id in enumerate(ids)
        },
    )


def at_rest(graph: Graph) -> Graph:
    settled: set[str] = set()
    for _ in range(5):
        change = at_once(planned(graph, None, NOW, settled, SMALL))
        if change is None:
            break
        settled |= set(change.use)
        graph = graph.apply(change)
    return graph


def explained(graph: Graph, node_id: str) -> Why:
    return at_once(why(graph, node_id, None, NOW, SMALL))


def test_it_names_the_score_the_place_and_what_the_level_costs() -> None:
    graph = level(6, {0: Tier.ARCHIVED}, {1: 2})
    found = at_once(why(graph, "node-01", None, NOW))
    assert (found.tier, found.locked, found.fresh, found.ways) == (Tier.ACTIVE, False, True, ())
    found = explained(graph, "node-01")
    newest = at_once(why(graph, "node-05", None, NOW, SMALL))
    assert newest.fresh
    assert not newest.explanation.in_pool
    inside = [node_id for node_id in graph.nodes if not explained(graph, node_id).fresh]
    assert found.explanation == at_once(scoring.explained(graph, "node-01", inside, NOW, None))
    assert found.explanation.score == at_once(scoring.score_steps(graph, inside, NOW))["node-01"]
    assert found.explanation.place == 1
    assert (found.charge, found.archived) == (charge(graph, None), archived_charge(graph))


def test_an_unknown_node_is_an_error() -> None:
    with pytest.raises(KeyError):
        explained(level(1, {}, {}), "nobody")


def test_a_lone_node_stands_in_the_middle() -> None:
    found = at_once(why(level(1, {0: Tier.ORPHANED}, {}), "node-00", None, NOW))
    assert found.explanation.score == pytest.approx(0.5)
    assert (found.explanation.pool, found.explanation.in_pool, found.explanation.place) == (0, False, 1)


def test_a_read_lifts_orphaned_neighbours_and_leaves_what_is_not_there() -> None:
    graph = level(2, {0: Tier.ORPHANED}, {})
    assert brought_back(graph, ["nobody"], NOW) == {}
    assert brought_back(graph, ["node-00"], NOW)["node-00"] == Use(tier=Tier.ACTIVE, read_at=NOW)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(4, 16),
    st.dictionaries(st.integers(0, 15), st.sampled_from(Tier), max_size=10),
    st.dictionaries(st.integers(0, 15), st.integers(1, 3), max_size=8),
    st.integers(0, 15),
)
def test_doing_what_it_names_does_what_it_says(
    count: int, tiers: dict[int, Tier], votes: dict[int, int], asked: int
) -> None:
    graph = at_rest(level(count, tiers, votes))
    node_id = f"node-{asked % count:02d}"
    found = explained(graph, node_id)
    assert bool(found.ways) == (graph.tier(node_id) is not Tier.ACTIVE)
    for way in found.ways:
        match way.action:
            case "read":
                done = graph.apply(Change(graph="user", use=brought_back(graph, [node_id], NOW)))
                assert done.tier(node_id) is Tier.ACTIVE
            case "endorse":
                done = graph.apply(Change(graph="user", use={node_id: endorsed(graph.use_of(node_id), "s", NOW)}))
            case _:
                node = Node(id=node_id, gist="x" * 40, created=graph.nodes[node_id].created, locked=True)
                done = graph.apply(Change(graph="user", nodes={node_id: node}))
        assert at_rest(done).tier(node_id) is way.tier
