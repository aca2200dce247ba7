"""What makes a lesson useful, who may say so, and how often."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kg_core.model import MAINTAIN, USER, Change, StampKind, Tier, Use, to_iso
from kg_core.model.steps import at_once
from kg_core.policy.score import explained
from kg_core.store import Home, Settings, Write
from kg_server.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from kg_core.policy import Explanation

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."


def graph(world: Any, key: str = "project:shop") -> Any:
    return world.service._memory.durable(key)


def worth(world: Any, node_id: str, now: int) -> Explanation:
    level = graph(world)
    return at_once(explained(level, node_id, level.nodes, now, None))


def kinds(world: Any, node_id: str, key: str = "project:shop") -> list[StampKind]:
    return [stamp.kind for stamp in graph(world, key).use_of(node_id).stamps]


async def keeper_of(world: Any, session: str = "keeper") -> Any:
    keeper = world.agent(session)
    await keeper.call("kg_read", maintenance=True)
    return keeper


async def change(world: Any, *changes: Change) -> None:
    await world.service._memory.commit(Write(by="person", at=world.clock(), changes=changes))


def test_a_case_added_to_the_lesson_of_another_is_a_vote_for_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        author, other = world.agent("s-1"), world.agent("s-2")
        await author.put("cache-key", CACHE, notes=["one"])
        assert "counts as a vote" not in await author.put("cache-key", CACHE, notes=["one", "two"])
        await other.call("kg_read", ids=["cache-key"])
        assert "counts as a vote" in await other.put("cache-key", CACHE, notes=["one", "two", "three"])
        assert kinds(world, "cache-key") == [StampKind.NOTE]
        assert "counts as a vote" not in await other.put("cache-key", CACHE, notes=["one", "two", "three", "four"])
        assert "marked it already" in await other.refused("kg_useful", ids=["cache-key"])
        await author.call("kg_read", ids=["cache-key"])
        assert "counts as a vote" in await author.put("cache-key", CACHE, notes=[*"abc", "one", "two", "three", "four"])
        assert kinds(world, "cache-key") == [StampKind.NOTE] * 2

    live(scenario)


def test_rewording_a_lesson_of_another_is_no_vote(live: Live) -> None:
    async def scenario(world: Any) -> None:
        author, other = world.agent("s-1"), world.agent("s-2")
        await author.put("cache-key", CACHE, notes=["one"])
        await other.call("kg_read", ids=["cache-key"])
        await other.put("cache-key", "Cache keys include the tenant id.")
        await author.call("kg_read", ids=["cache-key"])
        await author.refused("kg_put_node", level="project", id="cache-key", gist=CACHE, notes=["1"])
        await author.put("cache-key", CACHE, notes=["1"])
        assert kinds(world, "cache-key") == []

    live(scenario)


def test_a_rename_takes_the_votes_along(live: Live) -> None:
    """F27."""

    async def scenario(world: Any) -> None:
        author, other = world.agent("s-1"), world.agent("s-2")
        await author.put("old-name", CACHE, notes=["one"])
        await other.call("kg_read", ids=["old-name"])
        await other.call("kg_useful", ids=["old-name"])
        await author.call("kg_rename_node", old_id="old-name", new_id="new-name")
        assert "marked it already" in await other.refused("kg_useful", ids=["new-name"])
        await other.call("kg_read", ids=["new-name"])
        await other.put("new-name", CACHE, notes=["one", "two"])
        assert kinds(world, "new-name") == [StampKind.ENDORSEMENT]

    live(scenario)


def test_a_rename_by_maintenance_leaves_the_recency_alone(live: Live) -> None:
    """F28."""

    async def scenario(world: Any) -> None:
        author = world.agent("s-1")
        await author.put("old-name", CACHE)
        await author.put("other-one", "Retries need jitter.")
        now = world.clock.now
        before = worth(world, "old-name", now).recency
        await (await keeper_of(world)).call("kg_rename_node", old_id="old-name", new_id="new-name")
        assert worth(world, "new-name", now).recency == before

    live(scenario)


def test_a_rewrite_by_maintenance_leaves_recency_and_tier_alone_whatever_is_known_of_them(live: Live) -> None:
    async def scenario(world: Any) -> None:
        author = world.agent("s-1")
        await author.put("cache-key", CACHE)
        await author.put("by-hand", "Retries need jitter.")
        bare = replace(graph(world).nodes["by-hand"], created=0, written=None)
        use = {"by-hand": None, "cache-key": Use(tier=Tier.ARCHIVED)}
        await change(world, Change(graph="project:shop", nodes={"by-hand": bare}, use=use))
        before = graph(world).nodes["cache-key"].written.at
        keeper = await keeper_of(world)
        await keeper.call("kg_read", ids=["cache-key", "by-hand"])
        await keeper.put("cache-key", "Cache keys include the tenant id.")
        await keeper.put("by-hand", "Retries need full jitter.")
        assert graph(world).tier("cache-key") is Tier.ARCHIVED
        now = world.clock.now
        assert worth(world, "cache-key", now).recency.raw == before
        assert worth(world, "by-hand", now).recency.raw == 1

    live(scenario)


def test_a_maintenance_session_stays_one_over_a_restart(live: Live) -> None:
    """F29."""

    async def scenario(world: Any) -> None:
        author = world.agent("s-1")
        await author.put("cache-key", CACHE)
        await change(world, Change(graph="project:shop", use={"cache-key": Use(tier=Tier.ARCHIVED)}))
        keeper = await keeper_of(world)
        await world.restart()
        await keeper.call("kg_read", ids=["cache-key"])
        assert graph(world).use_of("cache-key") == Use(tier=Tier.ARCHIVED)

    live(scenario)


def test_after_a_tidying_by_maintenance_the_authors_own_case_is_no_vote(live: Live) -> None:
    """F30."""

    async def scenario(world: Any) -> None:
        author = world.agent("s-1")
        await author.put("cache-key", CACHE, notes=["one"])
        keeper = await keeper_of(world)
        await keeper.call("kg_read", ids=["cache-key"])
        tidied = await keeper.put("cache-key", "Cache keys include the tenant id.", notes=["one", "and one more"])
        assert "counts as a vote" not in tidied
        await author.call("kg_read", ids=["cache-key"])
        added = await author.put("cache-key", "Tenant ids belong into keys.", notes=["one", "and one more", "two"])
        assert "counts as a vote" not in added
        assert kinds(world, "cache-key") == []

    live(scenario)


def test_a_vote_and_its_ledger_survive_a_crash_together(live: Live) -> None:
    """F31."""

    async def scenario(world: Any) -> None:
        author, other = world.agent("s-1"), world.agent("s-2")
        await author.put("cache-key", CACHE, notes=["one"])
        await author.put("retry-jitter", "Retries need jitter.")
        await other.start()
        await other.call("kg_useful", ids=["retry-jitter"])
        await other.call("kg_read", ids=["cache-key"])
        await other.put("cache-key", CACHE, notes=["one", "two"])
        crashed = world.root / "as-the-crash-left-it"
        shutil.copytree(world.root / ".kg", crashed)
        await world.service.close()
        world.service = await Service.open(
            Home(crashed), clock=world.clock, plugins=world.plugins, settings=Settings(), version="1"
        )
        assert "marked it already" in await other.refused("kg_useful", ids=["retry-jitter"])
        assert "marked it already" in await other.refused("kg_useful", ids=["cache-key"])
        assert kinds(world, "cache-key") == [StampKind.NOTE]

    live(scenario)


def test_a_later_case_is_a_vote_for_its_lesson_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("early-case", "The first time.")
        await writer.put("cache-key", CACHE)
        await writer.put("late-case", "It came again.")
        assert "vote" not in await writer.call("kg_put_edge", from_="early-case", rel="instance-of", to="cache-key")
        assert "vote" in await writer.call("kg_put_edge", from_="late-case", rel="instance-of", to="cache-key")
        created = graph(world).nodes["late-case"].created
        use = graph(world).use_of("cache-key")
        assert [(stamp.at, stamp.kind) for stamp in use.stamps] == [(created, StampKind.RECURRENCE)]
        assert use.recurrence == (to_iso(created),)
        await writer.call("kg_rename_node", old_id="late-case", new_id="second-case")
        await writer.call("kg_delete_edge", from_="second-case", rel="instance-of", to="cache-key")
        assert "vote" not in await writer.call("kg_put_edge", from_="second-case", rel="instance-of", to="cache-key")
        assert graph(world).use_of("cache-key") == use

    live(scenario)


def test_a_case_of_a_project_credits_a_lesson_of_the_user(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("retry-jitter", "Retries need jitter.", level="user")
        await writer.put("late-case", "It came again.")
        assert "vote" in await writer.call("kg_put_edge", from_="late-case", rel="instance-of", to="retry-jitter")
        use = graph(world, USER).use_of("retry-jitter")
        assert kinds(world, "retry-jitter", USER) == [StampKind.RECURRENCE]
        assert dict(use.inbound) == {"shop": 1}

    live(scenario)


def test_a_note_of_the_maintainer_credits_no_lesson_of_the_user(live: Live) -> None:
    """F32."""

    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("retry-jitter", "Retries need jitter.", level="user")
        keeper = await keeper_of(world)
        await keeper.put("keeper-case", "It came again.", level="maintain")
        edge = {"from_": "keeper-case", "rel": "instance-of", "to": "user:retry-jitter", "level": "maintain"}
        assert "vote" not in await keeper.call("kg_put_edge", **edge)
        assert len(graph(world, MAINTAIN).edges) == 1
        assert kinds(world, "retry-jitter", USER) == []

    live(scenario)


def test_maintenance_gives_one_to_three_credits_and_fifteen_in_a_pass(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        for number in range(7):
            await writer.put(f"lesson-{number}", f"Claim {number}.")
        await change(world, Change(graph="project:shop", use={"lesson-0": Use(tier=Tier.ORPHANED, orphaned_at=5)}))
        keeper = await keeper_of(world)
        text = await keeper.call("kg_useful", ids=["lesson-0", "nobody"], credits=3)
        assert "Credited (3 each): lesson-0." in text
        assert "Archived again, from orphaned: lesson-0." in text
        assert "nobody" in text
        assert "This pass has 12 credits left." in text
        use = graph(world).use_of("lesson-0")
        assert (use.tier, use.orphaned_at, len(use.stamps), len(use.credited)) == (Tier.ARCHIVED, 0, 3, 1)
        assert len(set(use.stamps)) == 3
        await world.restart()
        assert "credited it already" in await keeper.refused("kg_useful", ids=["lesson-0"], credits=1)
        text = await keeper.call("kg_useful", ids=[f"lesson-{n}" for n in range(1, 6)], credits=3)
        assert "lesson-4" in text
        assert "Skipped 'lesson-5': 0 of 15 credits left in this pass." in text
        assert "lesson-5" not in text.splitlines()[0]

    live(scenario)


def test_credits_do_not_make_a_lesson_recent_and_are_told_to_the_next_pass_alone(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        before = worth(world, "cache-key", world.clock.now)
        keeper = await keeper_of(world)
        await keeper.call("kg_useful", ids=["cache-key"], credits=2)
        after = worth(world, "cache-key", world.clock.now)
        assert after.recency.raw == before.recency.raw
        assert after.usefulness.raw == pytest.approx(2.0, abs=1e-3)
        later = await keeper_of(world, "keeper-2")
        assert "credited by maintenance: 2027-01-15" in await later.call("kg_read", ids=["cache-key"])
        assert "credited" not in await writer.call("kg_read", ids=["cache-key"])

    live(scenario)


def test_who_works_gives_no_credits_and_who_maintains_does_not_endorse(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        assert "Only a maintenance session" in await writer.refused("kg_useful", ids=["cache-key"], credits=1)
        keeper = await keeper_of(world)
        assert "send credits" in await keeper.refused("kg_useful", ids=["cache-key"])
        assert "at most 3" in await keeper.refused("kg_useful", ids=["cache-key"], credits=4)
        assert kinds(world, "cache-key") == []

    live(scenario)


def test_a_node_of_the_user_names_the_other_projects_that_lead_to_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        here, there = world.agent("s-1"), world.agent("s-2", cwd="other")
        await here.put("retry-jitter", "Retries need jitter.", level="user")
        for agent, node_id in ((here, "cache-key"), (there, "queue-key")):
            await agent.put(node_id, CACHE)
            await agent.call("kg_put_edge", from_=node_id, rel="needs", to="retry-jitter", notes=[f"as {node_id}"])
        text = await here.call("kg_read", ids=["retry-jitter"])
        assert "cache-key --needs--> user:retry-jitter" in text
        assert "- as cache-key" in text
        assert "edges from other projects: other (1)" in text
        assert "queue-key" not in text

    live(scenario)


@pytest.mark.parametrize("meanwhile", ["a resume", "a compaction", "a restart", "a day"])
def test_a_session_and_each_of_its_subagents_vote_once_for_a_lesson(live: Live, meanwhile: str) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        session = world.agent("s-2")
        voters = [session, world.agent("s-2", agent="a"), world.agent("s-2", agent="b")]
        for voter in voters:
            await voter.call("kg_useful", ids=["cache-key"])
        if meanwhile == "a restart":
            await world.restart()
        elif meanwhile == "a day":
            world.clock.now += 30 * 3_600_000
        await session.start("compact" if meanwhile == "a compaction" else "resume")

        said = [await voter.refused("kg_useful", ids=["cache-key"]) for voter in voters]

        assert "this session has marked it already" in said[0]
        assert all("this subagent has marked it already" in each for each in said[1:])
        assert kinds(world, "cache-key") == [StampKind.ENDORSEMENT] * 3

    live(scenario)
