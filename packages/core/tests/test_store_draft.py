"""A large change of use is worked out in short steps and applied in one, whatever others write meanwhile."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import Change, Graph, Tier, Use
from kg_core.store import Entry, Write, slices
from kg_core.store.draft import Draft
from kg_core.store.lines import body, body_of_use, members_of_use
from kg_plugin_api import KgError

USER = "user"
MANY = 450
ARCHIVED = Use(tier=Tier.ARCHIVED)


@pytest.fixture
def filled(home, values, stores):
    """Runs a scenario over a store with many nodes."""

    def run(scenario):
        async def main():
            store = await stores.served(home)
            await store.commit(values.put(*(values.node(f"n-{number}") for number in range(MANY))))
            try:
                await scenario(store)
            finally:
                await store.close()

        asyncio.run(main())

    return run


def moved(count=MANY):
    return {f"n-{number}": ARCHIVED for number in range(count)}


def test_no_step_of_it_applies_more_than_a_batch_and_others_have_their_turn_in_between(filled, monkeypatch):
    sizes = []
    apply = Graph.apply

    def counted(graph, change):
        sizes.append(len(change.use))
        return apply(graph, change)

    async def scenario(store):
        monkeypatch.setattr(slices, "SLICE", -1.0)
        monkeypatch.setattr(Graph, "apply", counted)
        turns = 0

        async def others():
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(others())
        draft = store.draft(USER)
        await draft.fill(moved())
        during = turns
        await store.commit_draft(draft, by="kg", at=7)
        draft.close()
        ticking.cancel()
        assert during >= len(sizes)

    filled(scenario)

    assert sum(sizes) == MANY
    assert max(sizes) <= 100


def test_it_becomes_durable_as_one_entry_and_is_there_after_a_restart(filled, home, stores):
    async def scenario(store):
        draft = store.draft(USER)
        await draft.fill(moved())
        before = store.sequence
        entry = await store.commit_draft(draft, by="kg", at=7)
        draft.close()
        assert entry.sequence == before + 1 == store.sequence
        assert entry.maintenance
        assert len(store.durable(USER).tiers[Tier.ARCHIVED]) == MANY

    filled(scenario)

    graph, _ = asyncio.run(stores.loaded(home))
    assert len(graph.tiers[Tier.ARCHIVED]) == MANY


def test_a_journal_that_holds_it_is_applied_in_batches_when_the_graph_is_loaded(home, values, stores, monkeypatch):
    sizes = []
    apply = Graph.apply

    def counted(graph, change):
        sizes.append(len(change.use))
        return apply(graph, change)

    async def main():
        store = await stores.served(home)
        await store.commit(values.put(*(values.node(f"n-{number}") for number in range(MANY))))
        draft = store.draft(USER)
        await draft.fill(moved())
        await store.commit_draft(draft, by="kg", at=7)
        await stores.killed(store)
        monkeypatch.setattr(Graph, "apply", counted)
        graph, _ = await stores.loaded(home)
        assert len(graph.tiers[Tier.ARCHIVED]) == MANY

    asyncio.run(main())

    assert sum(sizes) >= MANY
    assert max(sizes) <= 200


def test_what_others_write_meanwhile_to_other_nodes_is_kept(filled, values):
    async def scenario(store):
        draft = store.draft(USER)
        await draft.fill(moved(200))
        await store.commit(values.put(values.node("n-300", "Changed meanwhile"), values.node("new")))
        written = store.commit(Write(by="t", at=9, changes=(Change(graph=USER, nodes={"n-301": None}),)))
        await store.commit_draft(draft, by="kg", at=7)
        await written
        draft.close()
        graph = store.durable(USER)
        assert graph.nodes["n-300"].gist == "Changed meanwhile"
        assert "new" in graph.nodes
        assert "n-301" not in graph.nodes
        assert len(graph.tiers[Tier.ARCHIVED]) == 200

    filled(scenario)


@pytest.mark.parametrize("what", ["content", "use", "deletion"])
def test_it_is_not_applied_when_one_of_its_nodes_has_changed(filled, values, what):
    async def scenario(store):
        change = {
            "content": Change(graph=USER, nodes={"n-3": values.node("n-3", "Changed")}),
            "use": Change(graph=USER, use={"n-3": Use(read_at=5)}),
            "deletion": Change(graph=USER, nodes={"n-3": None}),
        }[what]
        draft = store.draft(USER)
        await store.commit(Write(by="t", at=9, changes=(change,)))
        await draft.fill(moved(10))
        assert store.commit_draft(draft, by="kg", at=7) is None
        draft.close()
        assert not draft.is_void
        assert not store.durable(USER).tiers[Tier.ARCHIVED]

    filled(scenario)


def test_it_is_void_when_a_write_that_it_rests_on_fails(filled, values, monkeypatch):
    async def scenario(store):
        def refuse(*_):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as full:
            full.setattr(type(store._journal), "append", refuse)
            failing = store.commit(values.put(values.node("lost")))
            draft = store.draft(USER)
            with pytest.raises(KgError):
                await failing
        await draft.fill(moved(10))
        assert draft.is_void
        assert store.commit_draft(draft, by="kg", at=7) is None
        draft.close()
        assert "lost" not in store.pending(USER).nodes

    filled(scenario)


def test_a_closed_draft_follows_no_more(filled, values):
    async def scenario(store):
        draft = store.draft(USER)
        draft.close()
        await store.commit(values.put(values.node("n-3", "Changed")))
        await draft.fill(moved(10))
        assert draft.fits

    filled(scenario)


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
uses = st.builds(Use, tier=st.sampled_from(Tier), read_at=st.integers(0, 9), orphaned_at=st.integers(0, 9))


@given(
    by=st.one_of(names, st.just('"changes":[]')), use=st.dictionaries(names, uses, min_size=1), size=st.integers(1, 4)
)
def test_the_journal_says_of_it_what_it_says_of_the_same_write_at_once(by, use, size):
    entry = Entry(sequence=3, at=5, by=by, maintenance=True, changes=(Change(graph=USER, use=use),))
    items = list(use.items())
    parts = [members_of_use(dict(items[start : start + size])) for start in range(0, len(items), size)]

    assert body_of_use(entry, parts) == body(entry)


@given(mine=st.sets(st.integers(0, 9)), others=st.sets(st.integers(0, 9)), after=st.booleans())
def test_it_makes_what_the_writes_of_others_and_then_its_own_make(values, mine, others, after):
    nodes = {f"n-{number}": values.node(f"n-{number}") for number in range(10)}
    graph = Graph.build(USER, nodes=nodes)
    writes = [
        Change(graph=USER, nodes={f"n-{number}": values.node(f"n-{number}", "Changed") if number % 2 else None})
        for number in others
    ]
    use = {f"n-{number}": ARCHIVED for number in mine}

    draft = Draft(graph, lambda _: None)
    steps = [lambda: asyncio.run(draft.fill(use)), lambda: [draft.follow(write) for write in writes]]
    for step in reversed(steps) if after else steps:
        step()

    assert draft.fits is mine.isdisjoint(others)
    if draft.fits:
        expected = graph
        for write in (*writes, Change(graph=USER, use=use)):
            expected = expected.apply(write)
        assert draft.applied() == expected
