"""How deep a search goes: the depths are nested, end at their ceiling, and ``auto`` chooses among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import DERIVED_FROM, Edge, Graph, Kind, Status
from kg_core.policy import Depth, at_depth, deepened
from kg_core.policy.depth import FIRM
from kg_core.policy.grounds import HOPS, MOST
from kg_core.policy.paths import Place
from kg_core.policy.ranking import ranked
from kg_plugin_api import SearchHit, SearchRequest, SearchResults

SHOP = "project:shop"
COUNT = 40
BOTH = ("user", SHOP)


def asked(**more):
    return SearchRequest(text="x", **{"graphs": BOTH, **more})


def hit(node_id, graph=SHOP, **more):
    return SearchHit(key=f"{graph}\x1f{node_id}", graph=graph, id=node_id, **{"score": 1.0, **more})


def memory(values, pairs, *, derived=(), key=SHOP, **nodes):
    edges = [Edge(source=source, rel=DERIVED_FROM, target=target) for source, target in pairs]
    ends = {end for pair in pairs for end in pair if not end.startswith("user:")} | set(derived)
    made = {
        name: values.node(name, kind=Kind.DERIVED if name in derived else Kind.STATED, **nodes.get(name, {}))
        for name in ends
    }
    return Graph.build(key, nodes=made, edges={edge.key: edge for edge in edges})


def ids(deep):
    return [place.id for place in deep.grounds.places]


numbers = st.integers(0, COUNT - 1)
links = st.lists(st.tuples(numbers, numbers), max_size=80)


@given(links, st.sets(numbers, max_size=8), st.lists(numbers, max_size=6, unique=True), st.sets(numbers, max_size=6))
def test_deeper_answers_hold_the_shallower_ones_and_all_end(values, pairs, derived, tops, retracted):
    pairs = [(f"n{one}", f"n{other}") for one, other in pairs]
    fields = {f"n{number}": {"status": Status.RETRACTED} for number in retracted}
    hits = [hit(f"n{number}") for number in tops if number not in retracted]
    graph = memory(values, pairs, derived={f"n{number}" for number in (*derived, *tops)}, **fields)
    below = {
        depth: deepened(hits, [graph], asked(), depth).grounds.places for depth in Depth if depth is not Depth.AUTO
    }

    assert below[Depth.EXPLICIT] == below[Depth.DERIVED] == ()
    assert below[Depth.ANCESTRY][: len(below[Depth.PREMISES])] == below[Depth.PREMISES]
    assert len(below[Depth.ANCESTRY]) == len(set(below[Depth.ANCESTRY])) <= MOST
    assert not {place.id for place in below[Depth.ANCESTRY]} & {f"n{number}" for number in retracted}
    reachable = near = {each.id for each in hits}
    for _ in range(HOPS):
        near = {target for source, target in pairs if source in near}
        reachable = reachable | near
    assert {place.id for place in below[Depth.ANCESTRY]} <= reachable


def test_at_most_so_many_steps_and_so_many_lessons_come_and_that_is_said(values):
    chain = memory(values, [(f"n{number}", f"n{number + 1}") for number in range(HOPS + 2)])
    deep = deepened([hit("n0")], [chain], asked(), Depth.ANCESTRY)
    assert (ids(deep), deep.grounds.is_cut) == ([f"n{number}" for number in range(1, HOPS + 1)], True)

    wide = memory(values, [("top", f"n{number:03}") for number in range(MOST + 1)])
    deep = deepened([hit("top")], [wide], asked(), Depth.PREMISES)
    assert (ids(deep), deep.grounds.is_cut) == ([f"n{number:03}" for number in range(MOST)], True)

    whole = memory(values, [("n0", "n1")])
    assert not deepened([hit("n0")], [whole], asked(), Depth.ANCESTRY).grounds.is_cut


def test_a_circle_that_a_person_made_ends_where_it_began(values):
    graph = memory(values, [("a", "b"), ("b", "c"), ("c", "a"), ("b", "b")])
    deep = deepened([hit("a")], [graph], asked(), Depth.ANCESTRY)
    assert ids(deep) == ["b", "c"]
    assert len(deep.grounds.edges) == 4


def test_premises_come_from_other_levels_and_nothing_is_shown_twice(values):
    user = memory(values, [("rule", "deeper")], key="user")
    shop = memory(values, [("a", "user:rule"), ("b", "user:rule"), ("a", "b")])
    deep = deepened([hit("a"), hit("b")], [user, shop], asked(), Depth.ANCESTRY)
    assert deep.grounds.places == (Place("user", "rule"), Place("user", "deeper"))
    assert [key for key, _ in deep.grounds.edges] == [SHOP, SHOP, SHOP, "user"]


@pytest.mark.parametrize(
    ("filters", "fields"),
    [
        ({}, {"status": Status.PROPOSED}),
        ({}, {"status": Status.RETRACTED}),
        ({"observers": ("ada",)}, {"observer": "bob"}),
        ({"observed": ("ada",)}, {"observed": ""}),
        ({"tags": ("red",)}, {"tags": ("blue",)}),
    ],
)
def test_what_a_search_leaves_out_is_counted_and_hides_what_is_below(values, filters, fields):
    fitting = {"observer": "ada", "observed": "ada", "tags": ("red",)}
    graph = memory(values, [("a", "b"), ("b", "c")], a=fitting, b={**fitting, **fields}, c=fitting)
    deep = deepened([hit("a")], [graph], asked(**filters), Depth.ANCESTRY)
    assert (ids(deep), deep.grounds.withheld, deep.grounds.edges) == ([], 1, ())


def test_a_level_that_was_not_asked_gives_no_premises(values):
    user, shop = memory(values, [], derived=["rule"], key="user"), memory(values, [("a", "user:rule")])
    deep = deepened([hit("a")], [user, shop], asked(graphs=(SHOP,)), Depth.PREMISES)
    assert (deep.grounds.places, deep.grounds.withheld) == ((), 1)


def test_explicit_asks_an_index_for_statements_alone():
    assert at_depth(asked(), Depth.EXPLICIT).kinds == ("stated",)
    assert all(at_depth(asked(), depth) == asked() for depth in Depth if depth is not Depth.EXPLICIT)


def test_auto_goes_as_deep_as_the_best_match_asks_for(values):
    graph = memory(values, [("end", "fact")], derived=["end"])

    def chosen(*hits):
        deep = deepened(hits, [graph], asked(), Depth.AUTO)
        return deep.depth, deep.reason

    assert chosen() == (Depth.EXPLICIT, "nothing was found")
    assert chosen(hit("fact")) == (Depth.EXPLICIT, "nothing that was found is a conclusion")
    assert chosen(hit("fact"), hit("end")) == (Depth.DERIVED, "'fact', the best match, was stated")
    assert chosen(hit("end", strength=FIRM)) == (Depth.PREMISES, "'end', the best match, is a conclusion")
    depth, reason = chosen(hit("end", strength=0.2), hit("fact"))
    assert depth is Depth.ANCESTRY
    assert reason.endswith(f"shares little with the query (0.20 where {FIRM:.2f} is firm)")


def test_evidence_brings_no_neighbours_into_the_ranking(values):
    graph = memory(values, [("end", "fact")], derived=["end"])
    found = ranked(SearchResults(hits=(hit("end"),)), [graph], asked())
    assert [each.id for each in found.hits] == ["end"]
