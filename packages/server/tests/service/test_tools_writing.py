"""Saving, guarding, relating, renaming and deleting lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_core.model import USER, EdgeKey, Graph, StampKind, Tier
from kg_core.model.merge import Part, merge_part

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
BOTH = ("user", "project")


def graph(world: Any, key: str = "project:shop") -> Any:
    return world.service._memory.durable(key)


def test_a_saved_lesson_is_durable_and_readable(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        saved = await writer.put("cache-key", CACHE, notes=["one", "two"], touches=["src/a.py:10"], tags=["cache"])
        assert saved == "Saved 'cache-key' (project)."
        await world.restart()
        text = await world.agent("s-2").call("kg_read", ids=["cache-key"])
        for part in (CACHE, "- one", "- two", "src/a.py:10", "cache"):
            assert part in text

    live(scenario)


def test_lists_that_are_not_sent_stay_and_an_unchanged_lesson_is_not_written(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE, notes=["one"])
        before = world.service._memory.store.sequence
        assert "nothing was written" in await writer.put("cache-key", f"  {CACHE}\n")
        assert world.service._memory.store.sequence == before
        await writer.put("cache-key", "Cache keys include tenant and region.")
        assert graph(world).nodes["cache-key"].notes == ("one",)

    live(scenario)


@pytest.mark.parametrize("spelling", ["Cache-Key", "cache_key", "cache.key", "Cache Key"])
def test_another_spelling_of_an_id_is_answered_with_the_node(live: Live, spelling: str) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        refusal = await writer.refused("kg_put_node", level="project", id=spelling, gist="A twin.")
        assert "cache-key" in refusal
        assert CACHE in refusal
        assert list(graph(world).nodes) == ["cache-key"]

    live(scenario)


def test_ids_of_every_script_stay_distinct_and_nfc_and_nfd_are_one(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        for node_id in ("部署方案", "صيانة-الخادم", "é"):
            await writer.put(node_id, f"About {node_id}.")
        await writer.put("e\u0301", "The same node.")
        assert len(graph(world).nodes) == 3
        assert graph(world).nodes["é"].gist == "The same node."
        refusal = await writer.refused("kg_put_node", level="project", id="🔥🚀", gist="Symbols.")
        assert "fire" in refusal

    live(scenario)


def test_an_illegal_id_is_refused_with_a_legal_one_proposed(live: Live) -> None:
    async def scenario(world: Any) -> None:
        refusal = await world.agent("s-1").refused("kg_put_node", level="project", id="cache key!", gist=CACHE)
        assert "'cache-key'" in refusal

    live(scenario)


def test_a_gist_too_long_is_refused_and_a_long_one_gets_a_remark(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        assert "1001 characters" in await writer.refused("kg_put_node", level="project", id="big", gist="x" * 1_001)
        assert "301 characters" in await writer.put("big", "x" * 301)
        assert "empty" in await writer.refused("kg_put_node", level="project", id="none", gist=" \n ")

    live(scenario)


def test_what_shows_nothing_is_no_gist_no_note_and_no_tag(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        for gist in ("\u200b", "\u202e\u2066", "\ufeff\u3164", "\x00", "\ud800"):
            refusal = await writer.refused("kg_put_node", level="project", id="unseen", gist=gist)
            assert refusal.startswith("The gist has no visible character. State the lesson's claim")
        unseen = {"notes": ["\u200b", "A case."], "touches": ["\u200b"], "tags": ["\u2800"], "observer": "\u200b"}
        await writer.reply("kg_put_node", level="project", id="seen", gist=CACHE, **unseen)
        node = graph(world).nodes["seen"]
        assert (node.notes, node.touches, node.tags, node.observer) == (("A case.",), (), (), "")

    live(scenario)


def test_a_write_over_what_the_session_has_not_seen_is_refused_and_shows_the_node(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE, notes=["one"])
        other = world.agent("s-2")
        refusal = await other.refused("kg_put_node", level="project", id="cache-key", gist="Mine.", notes=["mine"])
        assert "NOT WRITTEN" in refusal
        assert CACHE in refusal
        assert "- one" in refusal
        await other.put("cache-key", "Merged.", notes=["one", "mine"])
        assert graph(world).nodes["cache-key"].notes == ("one", "mine")

    live(scenario)


def test_a_refusal_that_did_not_arrive_is_no_read(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        other = world.agent("s-2")
        other.arrives = False
        await other.refused("kg_put_node", level="project", id="cache-key", gist="Mine.")
        await other.refused("kg_put_node", level="project", id="cache-key", gist="Mine.")
        assert graph(world).nodes["cache-key"].gist == CACHE

    live(scenario)


def test_notes_that_were_not_read_are_not_replaced(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE, notes=["one"], touches=["a.py"])
        other = world.agent("s-2")
        await other.start()
        await other.put("cache-key", "A gist alone may be mended.")
        refusal = await other.refused("kg_put_node", level="project", id="cache-key", gist="x", notes=["mine"])
        assert "replaces notes that this session has not read" in refusal
        await other.put("cache-key", "x", notes=["one", "mine"])
        assert graph(world).nodes["cache-key"].notes == ("one", "mine")

    live(scenario)


def test_a_write_that_drops_stored_notes_is_refused_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE, notes=["one", "two"])
        refusal = await writer.refused("kg_put_node", level="project", id="cache-key", gist=CACHE, notes=["two"])
        assert "would be removed: one" in refusal
        another = await writer.refused("kg_put_node", level="project", id="cache-key", gist=CACHE, notes=[])
        assert "would be removed: two" in another
        await writer.put("cache-key", CACHE, notes=[])
        assert graph(world).nodes["cache-key"].notes == ()

    live(scenario)


def test_a_write_that_drops_stored_file_pointers_is_refused_once_too(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE, notes=["one"], touches=["a.py", "b.py"])
        fewer = {"level": "project", "id": "cache-key", "gist": CACHE, "touches": ["b.py"]}
        assert "would be removed: a.py" in await writer.refused("kg_put_node", **fewer)
        await writer.call("kg_put_node", **fewer)
        assert graph(world).nodes["cache-key"].touches == ("b.py",)
        assert graph(world).nodes["cache-key"].notes == ("one",)

    live(scenario)


def test_a_warning_is_about_the_notes_that_were_there_when_it_was_given(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, other = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE, notes=["one", "two"])
        await other.start()
        kept = {"level": "project", "id": "cache-key", "gist": CACHE, "notes": ["one"]}
        assert "would be removed: two" in await writer.refused("kg_put_node", **kept)
        await other.put("cache-key", CACHE, notes=["one", "two", "three"])
        assert "has not seen" in await writer.refused("kg_put_node", **kept)
        assert "three" in await writer.refused("kg_put_node", **kept)
        assert graph(world).nodes["cache-key"].notes == ("one", "two", "three")
        await writer.put("cache-key", CACHE, notes=["one"])
        assert graph(world).nodes["cache-key"].notes == ("one",)

    live(scenario)


def test_two_sessions_that_write_at_once_lose_nothing(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-0").put("cache-key", CACHE)
        agents = [world.agent(f"s-{n}") for n in range(1, 5)]
        for agent in agents:
            await agent.start()
        replies = [
            await agent.reply("kg_put_node", level="project", id="cache-key", gist=f"By {n}.")
            for n, agent in enumerate(agents)
        ]
        assert [reply.is_error for reply in replies] == [False, True, True, True]
        assert "By 0." in replies[1].text

    live(scenario)


def test_a_locked_lesson_is_not_written_renamed_deleted_or_retired(live: Live) -> None:
    async def scenario(world: Any) -> None:
        from dataclasses import replace

        from kg_core.model import Change
        from kg_core.store import Write

        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        node = replace(graph(world).nodes["cache-key"], locked=True)
        change = Change(graph="project:shop", nodes={"cache-key": node})
        await world.service._memory.commit(Write(by="person", at=1, changes=(change,)))
        assert "locked" in await writer.refused("kg_put_node", level="project", id="cache-key", gist="x")
        assert "locked" in await writer.refused("kg_rename_node", old_id="cache-key", new_id="other-name")
        assert "locked" in await writer.refused("kg_delete_node", id="cache-key")
        await writer.put("new-key", "Cache keys include tenant and region.")
        retired = await writer.refused("kg_put_edge", from_="new-key", rel="supersedes", to="cache-key")
        assert retired == "'cache-key' is locked by a person and was not retired. Tell the user."
        await writer.call("kg_put_edge", from_="new-key", rel="refines", to="cache-key")

    live(scenario)


def test_an_id_on_both_levels_needs_its_level(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", "The project's claim.")
        assert "level 'project' has this id too" in await writer.put("cache-key", "The user's claim.", level="user")
        for tool, arguments in (
            ("kg_read", {"ids": ["cache-key"]}),
            ("kg_delete_node", {"id": "cache-key"}),
            ("kg_rename_node", {"old_id": "cache-key", "new_id": "other"}),
            ("kg_useful", {"ids": ["cache-key"]}),
            ("kg_put_edge", {"from_": "cache-key", "rel": "in", "to": "src/a.py"}),
        ):
            refusal = await writer.refused(tool, **arguments)
            assert "user" in refusal
            assert "project" in refusal
        await writer.call("kg_delete_node", id="cache-key", level="user")
        assert "cache-key" in graph(world).nodes
        assert "cache-key" not in graph(world, USER).nodes

    live(scenario)


def test_a_deleted_lesson_leaves_a_tombstone_that_a_put_lifts(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        await writer.call("kg_put_edge", from_="cache-key", rel="implemented-in", to="src/a.py")
        await writer.call("kg_delete_node", id="cache-key")
        assert "cache-key" in graph(world).tombstones
        assert not graph(world).edges
        assert "deleted or renamed before" in await writer.put("cache-key", CACHE)
        assert "cache-key" not in graph(world).tombstones

    live(scenario)


def test_the_ends_of_an_edge_are_resolved_when_it_is_written(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        await writer.put("retry-jitter", "Retries need jitter.", level="user")
        assert "user:retry-jitter" in await writer.call(
            "kg_put_edge", from_="Cache Key", rel="needs", to="retry-jitter"
        )
        assert EdgeKey("cache-key", "needs", "user:retry-jitter") in graph(world).edges
        assert dict(graph(world, USER).use_of("retry-jitter").inbound) == {"shop": 1}
        assert "no node 'nobody'" in await writer.refused("kg_put_edge", from_="cache-key", rel="needs", to="nobody")
        await writer.call("kg_delete_edge", from_="cache-key", rel="needs", to="retry-jitter")
        assert not graph(world).edges
        assert graph(world, USER).use_of("retry-jitter").inbound == ()

    live(scenario)


@pytest.mark.parametrize("to", ["in-both-too", "of-the-user", "user:of-the-user", "src/app.py"])
def test_an_edge_whose_end_is_on_both_levels_is_refused_until_a_level_is_named(live: Live, to: str) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        for node_id, levels in {"in-both": BOTH, "in-both-too": BOTH, "of-the-user": ("user",)}.items():
            for level in levels:
                await writer.put(node_id, f"{node_id} of {level}.", level=level)

        refused = await writer.refused("kg_put_edge", from_="in-both", rel="guards", to=to)
        written = [*graph(world).edges, *graph(world, USER).edges]
        said = [await writer.call("kg_put_edge", from_="in-both", rel="guards", to=to, level=level) for level in BOTH]

        assert "'in-both' exists on the levels 'user' and 'project'" in refused
        assert written == []
        assert "(user)" in said[0]
        assert "(project)" in said[1]

    live(scenario)


def test_an_end_that_is_on_both_levels_is_the_projects_beside_one_that_is_there_alone(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("of-the-project", "There alone.")
        for level in BOTH:
            await writer.put("in-both", f"It is of {level}.", level=level)

        await writer.call("kg_put_edge", from_="in-both", rel="guards", to="of-the-project")

        assert list(graph(world).edges) == [EdgeKey("in-both", "guards", "of-the-project")]

    live(scenario)


def test_lessons_that_would_supersede_each_other_are_refused_and_one_of_them_stays_in_sight(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        for name in ("port-first", "port-second", "port-third"):
            await writer.put(name, f"The {name} is the port.")
        await writer.call("kg_put_edge", from_="port-second", rel="supersedes", to="port-first")
        await writer.call("kg_put_edge", from_="port-third", rel="supersedes", to="port-second")
        for newer in ("port-second", "port-third"):
            refused = await writer.refused("kg_put_edge", from_="port-first", rel="supersedes", to=newer)
            assert f"'{newer}' supersedes 'port-first' already" in refused
        assert "Saved" in await writer.call("kg_put_edge", from_="port-first", rel="led-to", to="port-second")
        assert "port-third: " in await world.agent("s-2").start()

    live(scenario)


@pytest.mark.parametrize(
    ("source", "target"),
    [("spaces-here", "user:tabs-everywhere"), ("user:tabs-everywhere", "spaces-here"), ("src/app.py", "spaces-here")],
)
def test_who_supersedes_what_is_no_lesson_of_the_same_level_is_told_that_it_stays_in_sight(
    live: Live, source: str, target: str
) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("tabs-everywhere", "Indent with tabs.", level="user")
        await writer.put("spaces-here", "Indent with spaces here.")
        await writer.put("spaces-again", "Indent with four spaces here.")
        said = await writer.call("kg_put_edge", from_=source, rel="supersedes", to=target, level="project")
        assert f"'{target}' stays in sight" in said
        assert f"{target.removeprefix('user:')}: " in await world.agent("s-2").start()
        within = await writer.call("kg_put_edge", from_="spaces-again", rel="supersedes", to="spaces-here")
        assert "stays in sight" not in within
        assert "sight" not in await writer.call("kg_put_edge", from_="spaces-here", rel="supersedes", to="src/app.py")

    live(scenario)


def test_an_edge_between_two_user_lessons_belongs_to_the_user(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("one", "One.", level="user")
        await writer.put("two", "Two.", level="user")
        assert "(user)" in await writer.call("kg_put_edge", from_="one", rel="causes", to="two")
        assert "nothing was written" in await writer.call("kg_put_edge", from_="one", rel="causes", to="two")
        assert "paths" in await writer.refused("kg_put_edge", from_="a/b", rel="causes", to="c/d")
        assert "different" in await writer.refused("kg_put_edge", from_="one", rel="causes", to="one")

    live(scenario)


def test_a_renamed_user_lesson_keeps_the_edges_of_every_project(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, elsewhere = world.agent("s-1"), world.agent("s-2", cwd="other")
        await writer.put("retry-jitter", "Retries need jitter.", level="user")
        for agent, node_id in ((writer, "cache-key"), (elsewhere, "queue-key")):
            await agent.put(node_id, CACHE)
            await agent.call("kg_put_edge", from_=node_id, rel="needs", to="retry-jitter")
        await world.restart()
        assert "2 edges" in await writer.call("kg_rename_node", old_id="retry-jitter", new_id="retry-with-jitter")
        assert EdgeKey("cache-key", "needs", "user:retry-with-jitter") in graph(world).edges
        assert EdgeKey("queue-key", "needs", "user:retry-with-jitter") in graph(world, "project:other").edges
        assert dict(graph(world, USER).use_of("retry-with-jitter").inbound) == {"other": 1, "shop": 1}

    live(scenario)


def test_a_rename_keeps_time_author_votes_and_joins_edges_that_become_one(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, other = world.agent("s-1"), world.agent("s-2")
        await writer.put("old-name", CACHE)
        await writer.put("hub", "A hub.")
        await writer.call("kg_put_edge", from_="old-name", rel="in", to="hub", notes=["a"])
        before = graph(world).nodes["old-name"]
        await other.start()
        await other.call("kg_useful", ids=["old-name"])
        await other.call("kg_rename_node", old_id="old-name", new_id="new-name")
        after = graph(world).nodes["new-name"]
        assert (after.written, after.created) == (before.written, before.created)
        assert "marked it already" in await other.refused("kg_useful", ids=["new-name"])
        assert EdgeKey("new-name", "in", "hub") in graph(world).edges
        assert "already has 'hub'" in await other.refused("kg_rename_node", old_id="new-name", new_id="Hub")
        await other.call("kg_rename_node", old_id="new-name", new_id="New-Name")
        assert "New-Name" in graph(world).nodes

    live(scenario)


def test_a_lesson_is_endorsed_once_by_a_session_and_ten_lessons_at_most(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        for number in range(12):
            await writer.put(f"lesson-{number}", f"Claim {number}.")
        assert "Marked as useful: lesson-0" in await writer.call("kg_useful", ids=["lesson-0"])
        assert "marked it already" in await writer.refused("kg_useful", ids=["lesson-0"])
        assert "5 say more" in await writer.call("kg_useful", ids=[f"lesson-{n}" for n in range(1, 7)])
        await world.restart()
        text = await writer.call("kg_useful", ids=[f"lesson-{n}" for n in range(7, 12)] + ["nobody"])
        assert "at most 10" in text
        assert "nobody" in text
        stamps = [stamp for use in graph(world).use.values() for stamp in use.stamps]
        assert len(stamps) == 10
        assert {stamp.kind for stamp in stamps} == {StampKind.ENDORSEMENT}

    live(scenario)


def test_maintenance_leaves_time_and_author_to_the_working_session(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, keeper = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        node, use = graph(world).nodes["cache-key"], graph(world).use_of("cache-key")
        await keeper.call("kg_read", maintenance=True)
        await world.restart()
        await keeper.call("kg_read", ids=["cache-key"])
        assert graph(world).use_of("cache-key") == use
        await keeper.put("cache-key", "Cache keys include the tenant id.")
        after = graph(world).nodes["cache-key"]
        assert after.written.author == node.written.author
        assert after.written.by != node.written.by
        assert graph(world).use_of("cache-key").activity_at == use.activity_at
        assert "does not endorse" in await keeper.refused("kg_useful", ids=["cache-key"])
        await keeper.put("keeper-note", "A note of the maintainer.", level="maintain")
        assert "keeper-note" in await keeper.call("kg_read", level="maintain")
        assert "maintain" in await writer.refused("kg_read", level="maintain")

    live(scenario)


@pytest.mark.parametrize("depth", [150, 700, 20_000])
def test_a_list_nested_beyond_all_sense_is_answered_with_a_sentence(live: Live, depth: int) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        notes = "[" * depth + "]" * depth
        answer = (await agent.reply("kg_put_node", level="project", id="cache-key", gist=CACHE, notes=notes)).text
        assert "failed" not in answer
        await agent.put("cache-key", "Cache keys include tenant and region.")

    live(scenario)


def test_observers_are_told_of_what_became_durable(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        change = world.changes[-1]
        assert (change.graph, change.written, change.removed) == ("project:shop", ("cache-key",), ())

    live(scenario)


def test_a_new_lesson_is_active_and_stamped(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        use = graph(world).use_of("cache-key")
        assert use.tier is Tier.ACTIVE
        assert use.activity_at > 0

    live(scenario)


DAY = 86_400_000


def test_a_deletion_counts_although_the_clock_was_set_back_since_the_lesson_was_written(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        old = graph(world)
        world.clock.advance(-DAY)
        await writer.call("kg_delete_node", id="cache-key")

        (change, _) = merge_part(Graph(key=old.key), graph(world), old, Part(ids=("cache-key",)))

        assert not change.nodes

    live(scenario)


def test_a_later_write_counts_as_later_although_the_clock_was_set_back(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        first = graph(world).nodes["cache-key"].written
        world.clock.advance(-DAY)
        await writer.put("cache-key", "Cache keys include the region.")
        second = graph(world).nodes["cache-key"].written
        await writer.call("kg_delete_node", id="cache-key")
        deleted = graph(world).tombstones["cache-key"].at
        world.clock.advance(-DAY)
        await writer.put("cache-key", CACHE)
        third = graph(world).nodes["cache-key"].written

        assert first.at < second.at <= deleted < third.at

    live(scenario)


@pytest.mark.parametrize("status", ["proposed", "retracted"])
def test_who_writes_into_a_lesson_that_only_a_search_for_its_status_finds_is_told(live: Live, status: str) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        note = f"its status is '{status}': only a kg_search with statuses finds it"
        assert note in await agent.put("cache-key", CACHE, status=status)
        assert note in await agent.put("cache-key", CACHE)
        assert note in await agent.put("cache-key", CACHE, notes=["It was seen again."])
        assert await agent.put("cache-key", CACHE, status="current") == "Saved 'cache-key' (project)."
        assert CACHE in await agent.call("kg_search", query="tenant of cache keys")

    live(scenario)


def test_who_writes_into_a_superseded_lesson_is_told_where_to_write(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("old-key", CACHE)
        await agent.put("new-key", "Cache keys include tenant and region.")
        await agent.call("kg_put_edge", from_="new-key", rel="supersedes", to="old-key")
        told = await agent.put("old-key", "Cache keys include the tenant's id.")
        assert "it is superseded by 'new-key'" in told
        assert "kg_delete_edge" in told
        await agent.call("kg_delete_edge", from_="new-key", rel="supersedes", to="old-key")
        assert "superseded" not in await agent.put("old-key", CACHE)
        assert "status='current'" in await agent.put("old-key", CACHE, status="superseded")

    live(scenario)


def test_who_folds_one_lesson_into_another_is_told_how_and_which_edges_are_gone(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("cache-key", CACHE)
        await agent.put("key-of-cache", "A cache key has the tenant in it.", notes=["one"])
        await agent.call("kg_put_edge", from_="key-of-cache", rel="implemented-in", to="src/a.py")
        refusal = await agent.refused("kg_rename_node", old_id="key-of-cache", new_id="cache-key")
        assert "add the notes of 'key-of-cache' to it with kg_put_node" in refusal
        told = await agent.call("kg_delete_node", id="key-of-cache")
        assert told.splitlines() == [
            "Deleted 'key-of-cache' (project) and 1 edge.",
            "With it went: key-of-cache --implemented-in--> src/a.py.",
        ]
        for number in range(12):
            await agent.call("kg_put_edge", from_="cache-key", rel="needs", to=f"src/{number}.py")
        assert (await agent.call("kg_delete_node", id="`cache-key`")).endswith("; 2 more.")

    live(scenario)


def test_an_end_that_looks_like_a_file_is_refused_with_the_path_to_write(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.put("cache-key", CACHE)
        for end, path in (("README.md", "./README.md"), ("setup.py:12", "./setup.py:12"), ("src\\a.py", "src/a.py")):
            refusal = await agent.refused("kg_put_edge", from_="cache-key", rel="explained-in", to=end)
            assert f"A file is written {path!r}." in refusal
            assert path in await agent.call("kg_put_edge", from_="cache-key", rel="explained-in", to=path)
        assert "A file" not in await agent.refused("kg_put_edge", from_="cache-key", rel="needs", to="no-such-node")

    live(scenario)
