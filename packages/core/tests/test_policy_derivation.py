"""The evidence graph: circles are found over all levels, named, and never written."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import DERIVED_FROM, MAINTAIN, Change, Edge, Graph, Use
from kg_core.policy.derivation import LOOKED_AT, check, circle, circles, conclusions, exists, named, premises, unknown
from kg_core.policy.paths import Place
from kg_plugin_api import Code, KgError

SHOP, YARD = "project:shop", "project:yard"
LEVELS = ("user", SHOP, YARD)


def evidence(*pairs):
    edges = [Edge(source=source, rel=DERIVED_FROM, target=target) for source, target in pairs]
    return {edge.key: edge for edge in edges}


def levels(**pairs):
    """The three levels with this evidence; a project's ends in the user's graph begin with ``user:``."""
    keys = {"user": "user", "shop": SHOP, "yard": YARD}
    return {key: Graph.build(key, edges=evidence(*pairs.get(name, ()))) for name, key in keys.items()}


def refusal(change, graphs):
    with pytest.raises(KgError) as raised:
        check([change], graphs)
    assert raised.value.code is Code.REFUSED
    return raised.value.sentence


def test_a_circle_of_three_is_refused_with_its_path():
    graphs = levels(shop=[("a", "b"), ("b", "c")])
    sentence = refusal(Change(graph=SHOP, edges=evidence(("c", "a"))), graphs)
    assert "'c' would rest on itself: c --derived-from--> a --derived-from--> b --derived-from--> c." in sentence


def test_a_circle_over_two_levels_is_refused_and_names_them():
    graphs = levels(user=[("a", "b")], shop=[("user:b", "case")])
    sentence = refusal(Change(graph=SHOP, edges=evidence(("case", "user:a"))), graphs)
    assert "shop:case --derived-from--> user:a --derived-from--> user:b --derived-from--> shop:case" in sentence


def test_a_circle_over_two_projects_is_refused():
    graphs = levels(shop=[("user:a", "one"), ("one", "user:b")], yard=[("two", "user:a")])
    assert "yard:two" in refusal(Change(graph=YARD, edges=evidence(("user:b", "two"))), graphs)


def test_a_circle_that_one_write_brings_whole_is_refused():
    assert "x --derived-from--> y" in refusal(Change(graph=SHOP, edges=evidence(("x", "y"), ("y", "x"))), levels())


def test_ends_that_are_not_there_count_by_their_names():
    graphs = levels(shop=[("a", "gone"), ("gone", "b")])
    assert "gone" in refusal(Change(graph=SHOP, edges=evidence(("b", "a"))), graphs)


def test_files_and_other_relations_close_no_circle():
    other = Edge(source="c", rel="uses", target="a")
    graphs = levels(shop=[("a", "src/b.py"), ("b", "c")])
    check([Change(graph=SHOP, edges={other.key: other, **evidence(("c", "src/b.py"), ("src/b.py", "a"))})], graphs)


def test_a_circle_that_somebody_else_made_hinders_no_other_write():
    graphs = levels(shop=[("a", "b"), ("b", "a")])
    check([Change(graph=SHOP, edges=evidence(("c", "a"), ("a", "d")))], graphs)


def test_a_rename_inside_such_a_circle_is_none_of_its_making():
    graphs = levels(shop=[("a", "b"), ("b", "a")])
    edges = {**dict.fromkeys(evidence(("a", "b"), ("b", "a"))), **evidence(("new", "b"), ("b", "new"))}
    check([Change(graph=SHOP, edges=edges, renamed={"a": "new"})], graphs)


def test_a_long_circle_is_named_from_both_ends():
    chain = [(f"n{number}", f"n{number + 1}") for number in range(40)]
    sentence = refusal(Change(graph=SHOP, edges=evidence(("n40", "n0"))), levels(shop=chain))
    assert "n40 --derived-from--> n0" in sentence
    assert "(30 more)" in sentence
    assert sentence.count(DERIVED_FROM) < 20


def test_what_cannot_be_told_in_time_is_refused():
    wide = [("top", f"n{number}") for number in range(40)] + [(f"m{number}", "bottom") for number in range(40)]
    graphs = levels(shop=wide)
    assert circle(Place(SHOP, "bottom"), Place(SHOP, "top"), graphs, most=30) is None
    assert circle(Place(SHOP, "bottom"), Place(SHOP, "top"), graphs) == ()
    hubs = [("top", f"n{number}") for number in range(LOOKED_AT)] + [("m", "bottom")]
    sentence = refusal(Change(graph=SHOP, edges=evidence(("bottom", "top"))), levels(shop=hubs))
    assert "cannot be told in time whether the one rests on the other" in sentence


def test_a_new_conclusion_costs_its_own_edges_alone():
    deep = [(f"n{number}", f"n{number + 1}") for number in range(400)]
    wide = [("n0", f"m{number}") for number in range(400)]
    graphs = levels(shop=[*deep, *wide])
    assert circle(Place(SHOP, "new"), Place(SHOP, "n0"), graphs, most=10) == ()
    assert circle(Place(SHOP, "n0"), Place(SHOP, "seen"), graphs, most=10) == ()


def test_projects_that_may_hold_a_part_are_named_where_both_sides_lead_out(values):
    user = Graph.build(
        "user",
        nodes={name: values.node(name) for name in "ab"},
        use={"a": Use(inbound=(("shop", 1), ("yard", 2))), "b": Use(inbound=(("yard", 1),))},
    )
    at_hand = {"user": user, SHOP: Graph(key=SHOP)}
    assert unknown(Place("user", "a"), Place("user", "b"), at_hand) == {YARD, MAINTAIN}
    assert unknown(Place(SHOP, "case"), Place("user", "b"), at_hand) == frozenset()
    everything = {**at_hand, YARD: Graph(key=YARD), MAINTAIN: Graph(key=MAINTAIN)}
    assert unknown(Place("user", "a"), Place("user", "b"), everything) == frozenset()


names = st.sampled_from("abcd")
ends = st.one_of(names, names.map(lambda name: f"user:{name}"))


@st.composite
def pieces(draw):
    """An edge of evidence: a level, its two ends and whether it comes or goes."""
    level = draw(st.sampled_from(LEVELS))
    source, target = (draw(names if level == "user" else ends) for _ in range(2))
    return level, source, target, draw(st.integers(0, 4)) > 0


def place(level, end):
    return Place("user", end.removeprefix("user:")) if end.startswith("user:") else Place(level, end)


def reaches(graphs, start, goal):
    """Whether ``goal`` is a premise of a premise … of ``start``, told by the edges alone."""
    pairs = [(place(key, edge.source), place(key, edge.target)) for key in graphs for edge in graphs[key].edges]
    found, waiting = set(), [start]
    while waiting:
        current = waiting.pop()
        new = {target for source, target in pairs if source == current} - found
        found |= new
        waiting += new
    return goal in found


@given(st.lists(pieces(), max_size=25))
def test_no_circle_ever_exists_after_any_sequence_of_accepted_writes(steps):
    graphs = levels()
    for level, source, target, comes in steps:
        edges = evidence((source, target)) if comes else dict.fromkeys(evidence((source, target)))
        change = Change(graph=level, edges=edges)
        closes = comes and (
            place(level, source) == place(level, target) or reaches(graphs, place(level, target), place(level, source))
        )
        try:
            check([change], graphs)
        except KgError:
            assert closes
            continue
        assert not closes
        graphs[level] = graphs[level].apply(change)
        assert not any(reaches(graphs, each, each) for each in {place(level, source), place(level, target)})
    everywhere = {Place(level, name) for level in LEVELS for name in "abcd"}
    assert not any(reaches(graphs, each, each) for each in everywhere)


@given(st.lists(pieces(), max_size=20), st.sampled_from(LEVELS), names, names)
def test_a_way_that_is_found_is_one_step_of_evidence_after_the_other(steps, level, source, target):
    graphs = levels()
    for key, one, other, _ in steps:
        graphs[key] = graphs[key].apply(Change(graph=key, edges=evidence((one, other))))
    conclusion, premise = Place(level, source), Place(level, target)
    way = circle(conclusion, premise, graphs)
    assert bool(way) == (conclusion == premise or reaches(graphs, premise, conclusion))
    if way:
        assert (way[0], way[-1]) == (premise, conclusion)
        for above, below in pairwise(way):
            assert below in [step.place for step in premises(above, graphs)]
            assert above in [step.place for step in conclusions(below, graphs)]
        assert named(way).count(DERIVED_FROM) == min(len(way), 13) - 1


@given(st.lists(pieces(), max_size=25))
def test_a_look_through_all_evidence_finds_circles_where_there_are_any(steps):
    graphs = levels()
    for key, one, other, _ in steps:
        graphs[key] = graphs[key].apply(Change(graph=key, edges=evidence((one, other))))
    found = [way for graph in graphs.values() for way in circles(graph, graphs) if way is not None]
    everywhere = {Place(level, name) for level in LEVELS for name in "abcd"}
    assert bool(found) == any(reaches(graphs, each, each) for each in everywhere)
    for way in found:
        assert way[0] == way[-1]
        assert exists(way, graphs)


def test_a_look_is_as_long_as_the_evidence_and_may_be_deep():
    deep = levels(shop=[(f"n{number}", f"n{number + 1}") for number in range(5_000)])
    steps = list(circles(deep[SHOP], deep))
    assert not any(steps)
    assert len(steps) < 20_000
