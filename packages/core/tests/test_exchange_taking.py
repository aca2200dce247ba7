"""Taking over what is offered: imports, restores, and a team's exchange copy."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.exchange.taking import Outcome, imported, restored, slices
from kg_core.exchange.team import continued, shared
from kg_core.model import Change, Edge, EdgeKey, Graph, Progress, Tier, Tombstone, Use, Written
from kg_core.model.merge import merge


def stamped(node, moment):
    return replace(node, created=moment, written=Written(at=moment, by="s", author="s"))


def graph(*nodes, edges=(), **fields):
    return Graph.build(
        "user", nodes={node.id: node for node in nodes}, edges={edge.key: edge for edge in edges}, **fields
    )


def edge(source, target, *notes):
    return Edge(source=source, rel="needs", target=target, notes=notes)


def take(ours, offer, known=None):
    taken = imported(ours, offer, None, known or {})
    return ours.apply(taken.change), taken


def test_an_import_adds_what_is_new_and_keeps_its_times(values):
    offer = graph(stamped(values.node("alpha"), 5), use={"alpha": Use(tier=Tier.ARCHIVED)})

    after, taken = take(graph(), offer)

    assert after.nodes["alpha"] == offer.nodes["alpha"]
    assert after.tier("alpha") is Tier.ARCHIVED
    assert taken.outcomes == {"alpha": Outcome.ADDED}


def test_an_import_twice_equals_once(values):
    @settings(max_examples=40)
    @given(values.graphs(), values.graphs())
    def holds(ours, offer):
        once, first = take(ours, offer)
        twice, second = take(once, offer, first.offered)
        assert twice == once
        assert Outcome.ADDED not in second.outcomes.values()
        without_record, _ = take(once, offer)
        assert without_record == once

    holds()


def test_an_import_never_loses_a_node_or_a_text_of_ours(values):
    @settings(max_examples=40)
    @given(values.graphs(), values.graphs())
    def holds(ours, offer):
        after, _ = take(ours, offer)
        assert all(after.nodes[key].version == node.version for key, node in ours.nodes.items())
        assert set(ours.edges) <= set(after.edges)

    holds()


def test_what_the_source_changed_since_the_last_import_is_taken(values):
    first = graph(stamped(values.node("alpha", "one"), 5))
    after, taken = take(graph(), first)

    later, again = take(after, graph(stamped(values.node("alpha", "two"), 9)), taken.offered)

    assert later.nodes["alpha"].gist == "two"
    assert later.nodes["alpha"].conflicts == ()
    assert again.outcomes == {"alpha": Outcome.UPDATED}


def test_what_was_changed_here_since_the_last_import_stays(values):
    offer = graph(stamped(values.node("alpha", "one"), 5))
    after, taken = take(graph(), offer)
    changed = after.apply(Change(graph="user", nodes={"alpha": stamped(values.node("alpha", "ours"), 7)}))

    later, again = take(changed, offer, taken.offered)

    assert later == changed
    assert again.outcomes == {"alpha": Outcome.SAME}


def test_other_content_under_an_id_of_ours_is_kept_beside_it(values):
    ours = graph(stamped(values.node("alpha", "ours"), 7))

    after, taken = take(ours, graph(stamped(values.node("alpha", "theirs"), 5)))

    assert after.nodes["alpha"].gist == "ours"
    assert [aside["gist"] for aside in after.nodes["alpha"].conflicts] == ["theirs"]
    assert taken.outcomes == {"alpha": Outcome.CONFLICT}


def test_what_was_forgotten_here_is_not_imported_again(values):
    offer = graph(stamped(values.node("alpha"), 5), stamped(values.node("beta"), 5), edges=[edge("alpha", "beta")])
    ours = graph(tombstones={"alpha": Tombstone(at=6, by="s")})

    after, taken = take(ours, offer)

    assert set(after.nodes) == {"beta"}
    assert after.tombstones == ours.tombstones
    assert taken.outcomes == {"alpha": Outcome.FORGOTTEN, "beta": Outcome.ADDED}
    assert taken.dormant == ("alpha needs beta",)
    assert not after.edges


def test_an_edge_that_was_deleted_here_is_not_imported_again(values):
    offer = graph(stamped(values.node("alpha"), 5), stamped(values.node("beta"), 5), edges=[edge("alpha", "beta", "x")])
    after, taken = take(graph(), offer)
    without = after.apply(Change(graph="user", edges={EdgeKey("alpha", "needs", "beta"): None}))

    assert take(without, offer, taken.offered)[0] == without


def test_a_variant_of_an_id_of_ours_is_that_node(values):
    ours = graph(stamped(values.node("API", "same"), 5))
    offer = graph(stamped(values.node("api", "same"), 5), stamped(values.node("b"), 5), edges=[edge("b", "api")])

    after, taken = take(ours, offer)

    assert set(after.nodes) == {"API", "b"}
    assert taken.outcomes == {"API": Outcome.SAME, "b": Outcome.ADDED}
    assert set(after.edges) == {EdgeKey("b", "needs", "API")}


def test_archived_here_stays_archived_when_imported_again(values):
    offer = graph(stamped(values.node("alpha"), 5))
    after, taken = take(graph(), offer)
    archived = after.apply(Change(graph="user", use={"alpha": Use(tier=Tier.ARCHIVED)}))

    assert take(archived, offer, taken.offered)[0] == archived


def restore(ours, offer, *deleted):
    taken = restored(ours, offer, None, at=100, by="restore", deleted=frozenset(deleted))
    return ours.apply(taken.change), taken


def test_a_restore_puts_back_what_a_merge_had_set_aside_and_closes_what_was_set_aside_since(values):
    aside = {"gist": "what the other side said"}
    open_then = replace(stamped(values.node("alpha", "good"), 5), conflicts=(aside,))
    open_since = replace(stamped(values.node("beta", "spoilt"), 9), conflicts=(aside,))

    after, _ = restore(graph(open_since), graph(open_then, stamped(values.node("beta", "good"), 5)))

    assert after.nodes["alpha"].conflicts == (aside,)
    assert (after.nodes["beta"].gist, after.nodes["beta"].conflicts) == ("good", ())


def test_a_restore_puts_content_back_and_stamps_it_anew(values):
    ours = graph(stamped(values.node("alpha", "spoilt"), 9), stamped(values.node("newer"), 9))
    offer = graph(stamped(values.node("alpha", "good"), 5), stamped(values.node("gone"), 5))

    after, taken = restore(ours, offer)

    assert {key: node.gist for key, node in after.nodes.items()} == {
        "alpha": "good",
        "gone": offer.nodes["gone"].gist,
        "newer": ours.nodes["newer"].gist,
    }
    assert after.nodes["alpha"].written == Written(at=100, by="restore", author="s")
    assert after.nodes["alpha"].conflicts == ()
    assert taken.outcomes == {"alpha": Outcome.UPDATED, "gone": Outcome.ADDED}


def test_a_restore_leaves_alone_what_is_as_it_was(values):
    @settings(max_examples=40)
    @given(values.graphs())
    def holds(ours):
        after, taken = restore(ours, Graph.build("user", nodes=ours.nodes, edges=ours.edges))
        assert after == ours
        assert set(taken.outcomes.values()) <= {Outcome.SAME}

    holds()


def test_a_restore_brings_a_deleted_node_back_only_when_asked(values):
    ours = graph(tombstones={"alpha": Tombstone(at=6, by="s"), "beta": Tombstone(at=6, by="s")})
    offer = graph(stamped(values.node("alpha"), 5), stamped(values.node("beta"), 5))

    untouched, taken = restore(ours, offer)
    assert untouched == ours
    assert set(taken.outcomes.values()) == {Outcome.FORGOTTEN}

    after, taken = restore(ours, offer, "alpha")
    assert set(after.nodes) == {"alpha"}
    assert set(after.tombstones) == {"beta"}
    assert after.nodes["alpha"].written.at == 100
    assert taken.outcomes == {"alpha": Outcome.ADDED, "beta": Outcome.FORGOTTEN}


def test_slices_are_the_whole_offer_nodes_before_edges(values):
    @settings(max_examples=40)
    @given(values.graphs(), st.integers(1, 3))
    def holds(offer, limit):
        parts = list(slices(offer, limit))
        nodes = [key for part in parts for key in part.nodes]
        edges = [key for part in parts for key in part.edges]
        assert sorted(nodes) == sorted(offer.nodes)
        assert sorted(edges) == sorted(offer.edges)
        assert all(len(part.nodes) <= limit and len(part.edges) <= limit for part in parts)

    holds()


def exchange(base, ours, copy):
    return merge(base, ours, continued(base, copy)).graph


def test_a_personal_edge_and_progress_are_not_shared(values):
    ours = graph(
        values.node("alpha"),
        edges=[edge("alpha", "user:habit"), edge("alpha", "a/b.py")],
        progress={"task": Progress(state={}, at=1, by="s")},
        use={"alpha": Use(read_at=3)},
    )

    copy = shared(ours, Graph(key=ours.key))

    assert set(copy.edges) == {EdgeKey("alpha", "needs", "a/b.py")}
    assert not copy.progress
    assert not copy.use
    assert exchange(copy, ours, copy) == ours


def test_an_old_checkout_takes_nothing_back(values):
    old = graph(stamped(values.node("alpha", "t1"), 1))
    now = graph(stamped(values.node("alpha", "t2"), 2), stamped(values.node("beta"), 2), edges=[edge("beta", "alpha")])

    assert exchange(now, now, old) == now
    assert exchange(now, now, graph()) == now


def test_what_a_colleague_changed_added_and_deleted_is_taken(values):
    base = graph(*(stamped(values.node(name), 1) for name in ("alpha", "beta", "gone")), edges=[edge("beta", "alpha")])
    copy = graph(
        stamped(values.node("alpha", "better"), 5),
        base.nodes["beta"],
        stamped(values.node("new"), 5),
        tombstones={"gone": Tombstone(at=5, by="s")},
    )

    after = exchange(base, base, copy)

    assert {key: node.gist for key, node in after.nodes.items()} == {
        "alpha": "better",
        "beta": base.nodes["beta"].gist,
        "new": copy.nodes["new"].gist,
    }
    assert not after.edges
    assert set(after.tombstones) == {"gone"}


def test_what_both_changed_is_kept_twice(values):
    base = graph(stamped(values.node("alpha", "one"), 1))
    ours = graph(stamped(values.node("alpha", "ours"), 3))
    copy = graph(stamped(values.node("alpha", "theirs"), 2))

    after = exchange(base, ours, copy)

    assert after.nodes["alpha"].gist == "ours"
    assert [aside["gist"] for aside in after.nodes["alpha"].conflicts] == ["theirs"]
