"""A level that outgrows its budget is brought back within it, and nobody is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kg_core.model import Tier
from kg_core.model.limits import BUDGET, FILL
from kg_core.render import charge
from kg_server.compaction import BY

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    import pytest

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]


async def outgrow(world: Any) -> Any:
    writer = world.agent("s-1")
    for number in range(110):
        await writer.put(f"lesson-{number}", f"Claim {number}: {'x' * 220}")
    return writer


def test_a_level_beyond_its_budget_is_archived_down_and_stays_so(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await outgrow(world)
        memory = world.service._memory
        assert charge(memory.durable("project:shop"), memory.durable("user")) > BUDGET
        await world.service._compaction.run()
        graph = memory.durable("project:shop")
        assert charge(graph, memory.durable("user")) <= FILL
        assert graph.tier("lesson-109") is Tier.ACTIVE
        before = memory.store.sequence
        world.service._compaction.look_at("project:shop")
        await world.service._compaction.run()
        assert memory.store.sequence == before

    live(scenario)


def test_a_level_that_comes_without_its_tiers_is_brought_within_its_budget_once_it_is_read(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a clone of the memory folder has it: git leaves out what a machine knows of use. No write need come first."""

    async def scenario(world: Any) -> None:
        await outgrow(world)
        monkeypatch.setattr("kg_server.service._LOG_SECONDS", 0.01)
        monkeypatch.setattr("kg_server.service._UPKEEP_ROUNDS", 10**9)
        monkeypatch.setattr("kg_server.compaction._QUIET_SECONDS", 0.01)
        await world.restart()
        memory, moved = world.service._memory, asyncio.Event()
        memory.store.subscribe(lambda entry: moved.set() if entry.by == BY else None)
        await world.agent("s-2").start()
        assert charge(memory.durable("project:shop"), memory.durable("user")) > BUDGET
        await asyncio.wait_for(moved.wait(), 10)
        assert charge(memory.durable("project:shop"), memory.durable("user")) <= FILL

    live(scenario)


def test_archiving_is_no_news_and_a_read_brings_a_lesson_back(live: Live) -> None:
    async def scenario(world: Any) -> None:
        reader = world.agent("s-2")
        await reader.start()
        await outgrow(world)
        await reader.after_tool()
        await world.service._compaction.run()
        assert await reader.after_tool() == ""
        graph = world.service._memory.durable("project:shop")
        archived = next(iter(graph.tiers[Tier.ARCHIVED]))
        await reader.call("kg_read", ids=[archived])
        assert world.service._memory.durable("project:shop").tier(archived) is Tier.ACTIVE

    live(scenario)
