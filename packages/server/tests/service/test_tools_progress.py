"""The progress of a task: kept, read, forgotten, and never a reason to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]


def test_a_tasks_progress_is_kept_read_and_forgotten(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        assert "Nothing is saved" in await agent.call("kg_progress", task_id="big-move")
        await agent.call("kg_progress", task_id="big-move", state='{"done": ["a"], "next": "b"}')
        assert '"next": "b"' in await world.agent("s-2").call("kg_progress", task_id="big-move")
        await agent.call("kg_progress", task_id="big-move", state='{"share": NaN}')
        assert '"share": "NaN"' in await agent.call("kg_progress", task_id="big-move")
        await agent.call("kg_progress", task_id="big-move", state="half way\nthrough")
        assert "  half way\n  through" in await agent.call("kg_progress", task_id="big-move")
        assert "65536" in await agent.refused("kg_progress", task_id="big-move", state="x" * 70_000)
        await agent.call("kg_progress", task_id="big-move", state="")
        assert "Nothing is saved" in await agent.call("kg_progress", task_id="big-move")

    live(scenario)


@pytest.mark.parametrize("depth", [150, 700, 20_000])
def test_a_state_nested_beyond_all_sense_is_kept_as_text_and_stops_no_writer(live: Live, depth: int) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        state = '{"next": ' + "[" * depth + "]" * depth + "}"
        await agent.call("kg_progress", task_id="big-move", state=state)
        assert await world.service._memory.store.snapshot()
        await agent.put("cache-key", "Cache keys include the tenant.")
        await world.restart()
        assert state in await agent.call("kg_progress", task_id="big-move")

    live(scenario)
