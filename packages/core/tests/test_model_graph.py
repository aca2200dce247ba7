"""A graph is a value: applying changes keeps every derived structure equal to one built from scratch."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import (
    USER,
    Change,
    Edge,
    EdgeKey,
    EndKind,
    Graph,
    Node,
    Tier,
    Tombstone,
    Use,
    end_kind,
    from_iso,
    to_iso,
)
from kg_core.model.times import LATEST

IDS = st.sampled_from(["a", "b", "c", "B", "ü"])
ENDS = st.sampled_from(["a", "b", "c", "src/a.py", "user:x"])


@st.composite
def changes(draw: st.DrawFn) -> Change:
    nodes = draw(st.dictionaries(IDS, st.one_of(st.none(), st.text(max_size=3)), max_size=3))
    edges = draw(st.dictionaries(st.builds(EdgeKey, ENDS, st.just("r"), ENDS), st.booleans(), max_size=3))
    return Change(
        graph=USER,
        nodes={i: None if gist is None else Node(id=i, gist=gist) for i, gist in nodes.items()},
        use=draw(st.dictionaries(IDS, st.one_of(st.none(), st.builds(Use, tier=st.sampled_from(Tier))), max_size=3)),
        edges={k: Edge(source=k.source, rel=k.rel, target=k.target) if on else None for k, on in edges.items()},
        tombstones=draw(st.dictionaries(IDS, st.just(Tombstone(at=1, by="x")), max_size=1)),
    )


def facts(graph: Graph) -> dict[str, Any]:
    return {
        "nodes": dict(graph.nodes),
        "edges": dict(graph.edges),
        "incident": {end: set(keys) for end, keys in graph.incident.items()},
        "tiers": {tier: set(ids) for tier, ids in graph.tiers.items()},
        "folded": dict(graph.folded),
    }


@given(st.lists(changes(), max_size=8))
def test_derived_structures_follow_every_change(steps: list[Change]) -> None:
    graph = Graph(key=USER)

    for change in steps:
        graph = graph.apply(change)

    built = Graph.build(USER, nodes=graph.nodes, use=graph.use, edges=graph.edges, tombstones=graph.tombstones)
    assert facts(graph) == facts(built)


@given(st.lists(changes(), max_size=4), changes())
def test_applying_a_change_twice_equals_applying_it_once(before: list[Change], change: Change) -> None:
    graph = Graph(key=USER)
    for step in before:
        graph = graph.apply(step)

    once = graph.apply(change)

    assert facts(once.apply(change)) == facts(once)


def test_a_change_leaves_the_value_it_was_applied_to_alone() -> None:
    before = Graph.build(USER, nodes={"a": Node(id="a", gist="x")})

    before.apply(Change(graph=USER, nodes={"a": None}))

    assert before.find("a") is not None


def test_a_node_is_found_by_any_spelling_of_its_id() -> None:
    graph = Graph.build(USER, nodes={"Straße": Node(id="Straße", gist="x")})

    assert graph.find("STRASSE") is graph.nodes["Straße"]
    assert graph.find("other") is None


def test_when_one_of_two_spellings_goes_the_other_is_still_found() -> None:
    graph = Graph.build(USER, nodes={"API": Node(id="API", gist="x"), "api": Node(id="api", gist="y")})

    left = graph.apply(Change(graph=USER, nodes={"api": None}))

    assert left.find("api") is graph.nodes["API"]


def test_versions_follow_content_and_nothing_else() -> None:
    node = Node(id="a", gist="x", notes=("n",))

    assert node.version == Node(id="a", gist="x", notes=("n",), created=5).version
    assert node.version != Node(id="a", gist="x", notes=("m",)).version
    assert node.version != Node(id="a", gist="x", notes=("n",), extra={"k": 1}).version


def test_ends_are_told_apart_by_their_spelling() -> None:
    assert end_kind("src/a.py") is EndKind.PATH
    assert end_kind("~notes") is EndKind.PATH
    assert end_kind("user:pref-tabs") is EndKind.USER
    assert end_kind("pref-tabs") is EndKind.NODE


def test_an_end_that_names_nothing_is_dormant() -> None:
    user = Graph.build(USER, nodes={"x": Node(id="x", gist="g")})
    graph = Graph.build("project:p", nodes={"a": Node(id="a", gist="g")})

    assert not graph.is_dormant("a", user)
    assert graph.is_dormant("gone", user)
    assert not graph.is_dormant("user:x", user)
    assert graph.is_dormant("user:gone", user)
    assert not graph.is_dormant("src/a.py", user)


@given(st.integers(min_value=1, max_value=4_000_000_000_000))
def test_times_come_back_from_files_as_they_went_in(at: int) -> None:
    assert from_iso(to_iso(at)) == at


@pytest.mark.parametrize(
    "text",
    [
        "9999-12-31T23:59:59.999Z",
        "9999-12-31T23:59:59.9999Z",
        "9999-12-31T23:59:59-12:00",
        "9999-12-31T12:00:00-23:59",
    ],
)
def test_a_time_beyond_what_files_can_hold_is_the_last_that_they_can(text: str) -> None:
    assert from_iso(text) == LATEST
    assert to_iso(LATEST + 1) == to_iso(LATEST) == "9999-12-31T23:59:59.999Z"


def test_a_time_that_is_no_time_is_never() -> None:
    assert from_iso("yesterday") == 0
    assert to_iso(0) == ""
    assert from_iso("0001-01-01T00:00:00+23:59") == 0
    assert from_iso("2026-02-03T04:05:06+02:00") == from_iso("2026-02-03T02:05:06Z")
