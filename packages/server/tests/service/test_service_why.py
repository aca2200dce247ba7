"""``kg why``: why a lesson is in sight or not, and that doing what it names brings the lesson back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_core.model import Change, Stamp, StampKind, Tier, Use
from kg_core.store import Write
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."


async def set_tier(world: Any, tier: Tier) -> None:
    use = {"cache-key": Use(tier=tier, activity_at=world.clock())}
    await world.service._memory.commit(Write(by="kg", at=1, changes=(Change(graph="project:shop", use=use),)))


async def why(world: Any, level: str = "") -> dict[str, Any]:
    found: dict[str, Any] = await world.service.why(world.folder("shop"), "Cache Key", level)
    return found


async def search(world: Any) -> str:
    return str((await world.service.search(world.folder("shop"), "tenant cache"))["text"])


def test_it_explains_an_active_lesson_and_changes_nothing(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        await writer.put("retry-jitter", "Retries need jitter.")
        await writer.call("kg_put_edge", from_="retry-jitter", rel="guards", to="cache-key")
        await writer.call("kg_useful", ids=["cache-key"])
        before = world.service._memory.store.sequence
        found = await why(world)
        assert world.service._memory.store.sequence == before
        assert (found["id"], found["level"], found["tier"], found["fresh"]) == ("cache-key", "project", "active", True)
        assert found["connectedness"]["in"] == {"active": 1, "archived": 0}
        assert found["usefulness"]["stamps"] == {"endorsement": 1}
        parts = [found[name]["contribution"] for name in ("recency", "connectedness", "usefulness")]
        assert found["score"] == pytest.approx(sum(parts))
        assert found["ways_back"] == []
        assert "cache-key (project): active, as one of the newest" in found["text"]
        assert "it would be place 1 of 1 if it were ranked now" in found["text"]
        assert "1 endorsement" in found["text"]

    live(scenario)


def test_votes_are_counted_in_words(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        kinds = [*StampKind, StampKind.ENDORSEMENT, StampKind.MAINTENANCE]
        stamps = tuple(Stamp(world.clock(), kind, f"s-{number}") for number, kind in enumerate(kinds))
        use = {"cache-key": Use(activity_at=world.clock(), stamps=stamps)}
        await world.service._memory.commit(Write(by="kg", at=1, changes=(Change(graph="project:shop", use=use),)))
        said = "1 added case, 2 endorsements, 1 later instance, 2 maintenance credits"
        assert said in (await why(world))["text"]

    live(scenario)


@pytest.mark.parametrize("tier", [Tier.ARCHIVED, Tier.ORPHANED])
def test_what_would_bring_it_back_brings_it_back(live: Live, tier: Tier) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        await set_tier(world, tier)
        found = await why(world)
        assert f"cache-key (project): {tier.value}" in found["text"]
        assert {"action": "read", "tier": "active"} in found["ways_back"]
        assert "kg_read with ids ['cache-key'], at once, and it stays" in found["text"]
        assert '"locked": true in memory/projects/shop/graph.json' in found["text"]
        await writer.call("kg_read", ids=["cache-key"])
        world.service._compaction.look_at("project:shop")
        await world.service._compaction.run()
        assert (await why(world))["tier"] == "active"

    live(scenario)


def test_an_edge_to_the_users_memory_counts_by_the_tier_of_its_end(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        await writer.put("retry-jitter", "Retries need jitter.", level="user")
        await writer.call("kg_put_edge", from_="cache-key", rel="needs", to="retry-jitter")
        use = {"retry-jitter": Use(tier=Tier.ARCHIVED)}
        await world.service._memory.commit(Write(by="kg", at=1, changes=(Change(graph="user", use=use),)))
        found = (await why(world))["connectedness"]
        assert found["out"] == {"active": 0, "archived": 1}
        assert found["ends"] == 1

    live(scenario)


def test_a_vote_is_named_where_a_vote_is_enough(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("cache-key", CACHE)
        await set_tier(world, Tier.ARCHIVED)
        assert {"action": "endorse", "tier": "active"} in (await why(world))["ways_back"]
        await writer.call("kg_useful", ids=["cache-key"])
        world.service._compaction.look_at("project:shop")
        await world.service._compaction.run()
        assert (await why(world))["tier"] == "active"

    live(scenario)


def test_an_id_on_two_levels_needs_its_level_and_an_unknown_one_is_said_so(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        with pytest.raises(KgError) as raised:
            await why(world)
        assert raised.value.code is Code.NOT_FOUND
        assert "`kg search`" in raised.value.sentence
        await writer.put("cache-key", CACHE)
        await writer.put("cache-key", "The user's claim.", level="user")
        with pytest.raises(KgError) as raised:
            await why(world)
        assert raised.value.code is Code.AMBIGUOUS
        assert "--level user" in raised.value.sentence
        assert (await why(world, "user"))["level"] == "user"
        with pytest.raises(KgError) as raised:
            await why(world, "maintain")
        assert raised.value.code is Code.INVALID

    live(scenario)


@pytest.mark.parametrize("tier", [Tier.ARCHIVED, Tier.ORPHANED])
def test_a_search_by_a_person_says_which_lessons_are_out_of_sight(live: Live, tier: Tier) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        in_sight = await search(world)
        await set_tier(world, tier)
        assert in_sight == f"  cache-key: {CACHE}  [project]"
        assert await search(world) == f"  cache-key: {CACHE}  [project, {tier}]"

    live(scenario)
