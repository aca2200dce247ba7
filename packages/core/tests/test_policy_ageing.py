"""Which lessons age, against the rule said in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model import (
    AGEING,
    DAY,
    DERIVED_FROM,
    SUPERSEDES,
    Change,
    Edge,
    Graph,
    Node,
    Tier,
    Tombstone,
    Use,
    Written,
)
from kg_core.model.limits import TOMBSTONES
from kg_core.model.steps import at_once
from kg_core.policy import ageing
from kg_core.policy.ageing import ageing_steps

NOW = 1_790_000_000_000
DAYS = 100
OLD, YOUNG = NOW - (DAYS + 1) * DAY, NOW - (DAYS - 1) * DAY
IDS = [f"n{number}" for number in range(7)]
LONG_GONE = Use(tier=Tier.ORPHANED, orphaned_at=OLD)
_BINDING = {DERIVED_FROM, SUPERSEDES}


def found(graph, days=DAYS, others=()):
    return at_once(ageing_steps(graph, others, NOW, days))


def memory(*ids, edges=(), use=LONG_GONE, key="project:app", **fields):
    made = [Edge(source=source, rel=rel, target=target) for source, rel, target in edges]
    return Graph.build(
        key,
        nodes={node_id: Node(id=node_id, gist=node_id, **fields) for node_id in ids},
        use=dict.fromkeys(ids, use),
        edges={edge.key: edge for edge in made},
    )


@st.composite
def memories(draw):
    """Lessons in every state that counts, most of them old enough, with ties between them."""
    ids = draw(st.lists(st.sampled_from(IDS), unique=True))
    ends = [*IDS, "src/a.py", "user:habit"]
    rels = st.sampled_from([*_BINDING, "uses"])
    edges = draw(st.lists(st.builds(Edge, source=st.sampled_from(IDS), rel=rels, target=st.sampled_from(ends))))
    tiers = st.sampled_from([*[Tier.ORPHANED] * 6, Tier.ACTIVE, Tier.ARCHIVED])
    return Graph.build(
        "project:app",
        nodes={
            node_id: Node(
                id=node_id,
                gist=node_id,
                locked=draw(st.integers(0, 7)) == 0,
                conflicts=draw(st.sampled_from([(), (), (), (), ({"gist": "x"},)])),
                written=draw(st.sampled_from([None, Written(at=NOW + DAY, by="s", author="s")])),
            )
            for node_id in ids
        },
        use={each: Use(tier=draw(tiers), orphaned_at=draw(st.sampled_from([OLD, OLD, OLD, 0, YOUNG]))) for each in ids},
        edges={edge.key: edge for edge in edges},
    )


def expected(graph):
    """The rule, one lesson after the other until nothing more has to stay."""
    ages = {
        node_id
        for node_id in graph.tiers[Tier.ORPHANED]
        if graph.use[node_id].orphaned_at == OLD and not (graph.nodes[node_id].locked or graph.nodes[node_id].conflicts)
    }
    while True:
        tied = {
            node_id
            for node_id in ages
            for edge in graph.edges_of(node_id)
            for end in (edge.source, edge.target)
            if edge.rel in _BINDING and end not in ages and (end in graph.nodes or end.startswith("user:"))
        }
        if not tied:
            return ages
        ages -= tied


@settings(max_examples=150)
@given(memories())
def test_what_has_long_been_out_of_sight_ages_unless_something_keeps_it(graph):
    departure = found(graph)

    assert (set(departure.aged.nodes) if departure else set()) == expected(graph)


@settings(max_examples=80)
@given(memories())
def test_nothing_is_in_neither_place_and_twice_is_once(graph):
    departure = found(graph)
    if departure is None:
        return
    after = graph.apply(departure.change)

    assert {**after.nodes, **departure.aged.nodes} == dict(graph.nodes)
    assert {**after.edges, **departure.aged.edges} == dict(graph.edges)
    assert not set(after.nodes) & set(departure.aged.nodes)
    assert not set(after.use) & set(departure.aged.nodes)
    assert all(stone.by == AGEING for stone in after.tombstones.values())
    written = [(node.written.at, node.id) for node in departure.aged.nodes.values() if node.written]
    assert all(at <= after.tombstones[node_id].at for at, node_id in written)
    assert found(after) is None


@settings(max_examples=60)
@given(memories())
def test_nothing_ages_while_it_is_off(graph):
    assert found(graph, days=0) is None


def test_any_graph_is_left_alone_while_it_is_off(values):
    @settings(max_examples=40)
    @given(values.graphs())
    def holds(graph):
        assert found(graph, days=0) is None

    holds()


def test_a_lesson_of_the_user_stays_while_a_project_has_an_edge_into_it():
    user = memory("one", "two", "three", key="user")
    counted = user.apply(Change(graph="user", use={"one": replace(LONG_GONE, inbound=(("app", 1),))}))
    app = memory("x", edges=[("x", "uses", "user:two")])

    assert set(found(counted, others=[app]).aged.nodes) == {"three"}


def test_no_deletion_is_forgotten_so_that_a_lesson_ages():
    graph = memory("one", "two", edges=[("two", DERIVED_FROM, "one")])
    stones = {f"gone{number}": Tombstone(at=1, by="s") for number in range(TOMBSTONES - 1)}
    full = graph.apply(Change(graph=graph.key, tombstones=stones))

    assert found(full) is None
    assert found(full.apply(Change(graph=graph.key, tombstones={"gone0": None}))) is not None


def test_what_was_orphaned_first_goes_first_and_not_all_at_once(monkeypatch):
    monkeypatch.setattr(ageing, "MOST", 2)
    graph = memory("a", "b", "c", "d", edges=[("d", SUPERSEDES, "c")])
    graph = graph.apply(Change(graph=graph.key, use={"d": Use(tier=Tier.ORPHANED, orphaned_at=OLD - 1)}))

    assert set(found(graph).aged.nodes) == {"c", "d"}


def test_very_many_that_rest_on_one_another_stay(monkeypatch):
    monkeypatch.setattr(ageing, "LARGEST", 2)
    graph = memory(
        "a", "b", "c", "x", "y", edges=[("a", SUPERSEDES, "b"), ("c", SUPERSEDES, "b"), ("x", SUPERSEDES, "y")]
    )

    assert set(found(graph).aged.nodes) == {"x", "y"}


@pytest.mark.parametrize(
    "change",
    [
        {"nodes": {"a": Node(id="a", gist="rewritten")}},
        {"use": {"a": Use()}},
        {"edges": {edge.key: edge for edge in [Edge(source="b", rel="uses", target="a")]}},
        {"edges": {edge.key: edge for edge in [Edge(source="a", rel="uses", target="later", notes=("why",))]}},
        {"nodes": {"later": Node(id="later", gist="it came back")}},
    ],
)
def test_what_was_touched_meanwhile_does_not_go(change):
    graph = memory("a", edges=[("a", "uses", "later")])
    departure = found(graph)
    elsewhere = graph.apply(Change(graph=graph.key, nodes={"b": Node(id="b", gist="b")}))

    assert departure.fits(elsewhere)
    assert not departure.fits(elsewhere.apply(Change(graph=graph.key, **change)))


def test_many_lessons_are_looked_at_in_short_steps():
    use = Use(tier=Tier.ORPHANED, orphaned_at=YOUNG)
    young = memory(*(f"n{number}" for number in range(6_000)), use=use)

    assert sum(1 for _ in ageing_steps(young, (), NOW, DAYS)) == 3
