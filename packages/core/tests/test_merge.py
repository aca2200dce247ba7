"""Three-way merge of graphs."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model import AGEING, Change, Graph, Tier, Tombstone, Use, Written
from kg_core.model.codec import node_record
from kg_core.model.merge import merge, merge_use


def graph_of(*nodes, **fields):
    return Graph.build("user", nodes={node.id: node for node in nodes}, **fields)


def at(moment):
    return Written(at=moment, by="c", author="c")


def test_nothing_changes_when_the_other_side_did_nothing(values):
    @given(values.graphs(), values.graphs())
    def holds(base, ours):
        assert merge(base, ours, base).graph.nodes == ours.nodes
        assert merge(base, ours, base).graph.edges == ours.edges

    holds()


def test_their_change_is_taken_when_we_did_nothing(values):
    @given(values.graphs(), values.graphs())
    def holds(base, theirs):
        merged = merge(base, base, theirs).graph
        buried = {key for key in theirs.nodes if key in base.tombstones}
        assert {key: node for key, node in merged.nodes.items() if key not in buried} == {
            key: node for key, node in theirs.nodes.items() if key not in buried
        }
        assert merged.edges == theirs.edges

    holds()


def test_disjoint_changes_merge_to_the_same_in_either_order(values):
    left, right = ["l1", "l2", "both-old"], ["r1", "r2", "both-older"]

    @settings(max_examples=60)
    @given(st.data())
    def holds(data):
        def changed(names):
            puts = data.draw(st.dictionaries(st.sampled_from(names), values.nodes, max_size=3))
            drops = data.draw(st.sets(st.sampled_from(names)))
            return Change(
                graph="user",
                nodes={
                    **{name: replace(node, id=name) for name, node in puts.items()},
                    **dict.fromkeys(drops),
                },
            )

        base = graph_of(*(values.node(name) for name in ("both-old", "both-older", "untouched")))
        ours, theirs = base.apply(changed(left)), base.apply(changed(right))
        one, other = merge(base, ours, theirs), merge(base, theirs, ours)
        assert one.graph == other.graph
        assert one.conflicts == other.conflicts == ()
        assert one.graph.nodes["untouched"] == base.nodes["untouched"]

    holds()


def test_no_content_that_a_side_wrote_is_ever_lost(values):
    @given(values.graphs(), values.graphs(), values.graphs())
    def holds(base, ours, theirs):
        merged = merge(base, ours, theirs).graph
        for side, other in ((ours, theirs), (theirs, ours)):
            for key, node in side.nodes.items():
                if node == base.nodes.get(key) or (key in other.tombstones and key not in other.nodes):
                    continue
                kept = merged.nodes[key]
                aside = node_record(replace(node, conflicts=()))
                assert kept.version == node.version or aside in kept.conflicts

    holds()


def test_merging_the_same_edit_twice_changes_nothing_more(values):
    @given(values.graphs(), values.graphs(), values.graphs())
    def holds(base, ours, theirs):
        once = merge(base, ours, theirs).graph
        assert merge(base, once, theirs).graph.nodes == once.nodes

    holds()


def test_a_conflict_keeps_ours_and_sets_theirs_aside(values):
    base = graph_of(values.node("alpha", "old"))
    ours, theirs = graph_of(values.node("alpha", "mine")), graph_of(values.node("alpha", "yours"))
    merged = merge(base, ours, theirs)
    assert merged.conflicts == ("alpha",)
    assert merged.graph.nodes["alpha"].gist == "mine"
    assert [conflict["gist"] for conflict in merged.graph.nodes["alpha"].conflicts] == ["yours"]


def test_a_deletion_yields_to_a_change_of_the_other_side(values):
    base = graph_of(values.node("alpha", "old"))
    changed = graph_of(values.node("alpha", "new"))
    assert merge(base, graph_of(), changed).graph.nodes["alpha"].gist == "new"
    assert merge(base, changed, graph_of()).graph.nodes["alpha"].gist == "new"


def test_that_we_dated_what_a_person_added_is_no_change_of_ours(values):
    added, changed = (values.node("alpha", gist, created=0, written=None) for gist in ("by hand", "by hand again"))
    dated = replace(added, created=100)

    assert "alpha" not in merge(graph_of(added), graph_of(dated), graph_of()).graph.nodes
    assert "alpha" not in merge(graph_of(added), graph_of(), graph_of(dated)).graph.nodes
    for merged in (
        merge(graph_of(added), graph_of(dated), graph_of(changed)),
        merge(graph_of(added), graph_of(changed), graph_of(dated)),
    ):
        assert merged.conflicts == ()
        assert merged.graph.nodes["alpha"].gist == "by hand again"


def test_a_tombstone_keeps_content_written_before_it_from_coming_back(values):
    deleted = graph_of(tombstones={"alpha": Tombstone(at=100, by="c")})
    before, after = (graph_of(values.node("alpha", written=at(moment))) for moment in (100, 101))
    by_hand = graph_of(values.node("alpha", written=None))
    assert "alpha" not in merge(deleted, deleted, before).graph.nodes
    assert merge(deleted, deleted, before).graph.tombstones["alpha"].at == 100
    for back in (after, by_hand):
        merged = merge(deleted, deleted, back).graph
        assert "alpha" in merged.nodes
        assert "alpha" not in merged.tombstones


def test_their_tombstone_deletes_what_we_had_not_touched_since(values):
    held = graph_of(values.node("alpha", written=at(50)))
    deleted = graph_of(tombstones={"alpha": Tombstone(at=100, by="c")})
    assert "alpha" not in merge(held, held, deleted).graph.nodes
    ours = graph_of(values.node("alpha", "rewritten", written=at(150)))
    assert merge(held, ours, deleted).graph.nodes["alpha"].gist == "rewritten"


def test_what_one_side_changed_does_not_age_on_the_other(values):
    before = graph_of(replace(values.node("alpha"), written=at(50)))
    changed = graph_of(replace(before.nodes["alpha"], gist="newer", written=at(60)))
    aged = graph_of(tombstones={"alpha": Tombstone(at=100, by=AGEING)})

    for ours, theirs in ((aged, changed), (changed, aged)):
        merged = merge(before, ours, theirs)
        assert merged.graph.nodes["alpha"].gist == "newer"
        assert "alpha" not in merged.graph.tombstones
        assert not merged.conflicts
        assert "alpha" not in merge(before, before, aged).graph.nodes
        assert "alpha" not in merge(aged, aged, before).graph.nodes, "an old checkout"


def test_notes_added_to_one_edge_on_both_sides_are_all_kept(values):
    base = graph_of(edges=values.edge("a", "uses", "b"))
    ours = graph_of(edges=values.edge("a", "uses", "b", notes=("mine",)))
    theirs = graph_of(edges=values.edge("a", "uses", "b", notes=("yours",)))
    (edge,) = merge(base, ours, theirs).graph.edges.values()
    assert edge.notes == ("mine", "yours")


def test_use_merges_by_union_and_maximum_whatever_the_order(values):
    @given(values.uses, values.uses)
    def holds(one, other):
        merged = merge_use(one, other)
        swapped = merge_use(other, one)
        assert replace(merged, extra={}) == replace(swapped, extra={})
        assert merged.read_at == max(one.read_at, other.read_at)
        assert set(merged.stamps) == {*one.stamps, *other.stamps}

    holds()


def test_the_more_visible_tier_wins():
    assert merge_use(Use(tier=Tier.ORPHANED), Use(tier=Tier.ARCHIVED)).tier is Tier.ARCHIVED
