"""The progress of a task: kept, read, forgotten, and never a reason to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]


async def read(agent: Any, task: str) -> list[str]:
    """The parts of a task's state, without what says that there are more."""
    parts: list[str] = []
    text = await agent.call("kg_progress", task_id=task)
    while len(parts) < 100:
        said, _, footer = text.rpartition("\n(Part ")
        parts.append(said if footer and said else text)
        if "more=true" not in footer:
            break
        text = await agent.call("kg_read", more=True)
    return parts


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
        assert state in "".join(await read(agent, "big-move"))

    live(scenario)


def test_a_state_that_is_read_between_two_parts_of_another_reply_loses_none_of_them(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent, writer = world.agent("s-1"), world.agent("s-2")
        await agent.call("kg_progress", task_id="big-move", state="half way")
        for number in range(60):
            await writer.put(f"lesson-{number}", f"Claim {number}: {'x' * 200}")
        assert "(Part 1 of " in await agent.call("kg_read")
        assert "half way" in await agent.call("kg_progress", task_id="big-move")
        assert "(Part 2 of " in await agent.call("kg_read", more=True)

    live(scenario)


def test_a_state_of_any_size_is_read_back_whole(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1", harness="narrow")
        state = "\n".join(f"step {number}: {'x' * (number % 90)}" for number in range(1_150))
        for kept in (state, "y" * 65_536):
            await agent.call("kg_progress", task_id="big-move", state=kept)
            parts = await read(agent, "big-move")
            assert len(parts) > 20
            assert max(len(part.encode()) for part in parts) <= 2_000
            assert "".join("".join(parts).split()).endswith("".join(kept.split()))

    live(scenario)


def test_who_asks_for_a_task_by_a_wrong_name_is_told_which_ones_are_kept(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        asked = "Nothing is saved for 'move' on level 'user'."
        assert await agent.call("kg_progress", task_id="move") == asked
        await agent.call("kg_progress", task_id="big-move", state="half way", level="project")
        await agent.call("kg_progress", task_id="tidy-up", state="begun")
        kept = "Saved: 'tidy-up' (level 'user'), 'big-move' (level 'project')."
        for state in ({}, {"state": ""}):
            assert await agent.call("kg_progress", task_id="move", **state) == f"{asked}\n{kept}"
        for number in range(10):
            await agent.call("kg_progress", task_id=f"task-{number}", state="begun")
        told = (await agent.call("kg_progress", task_id="move")).splitlines()[1]
        assert told.startswith("Saved last: 'task-9' (level 'user'), ")
        assert "tidy-up" not in told

    live(scenario)


def test_a_task_is_one_however_its_name_is_spelled(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.call("kg_progress", task_id="big-move", state="half way")
        assert "half way" in await agent.call("kg_progress", task_id="Big_Move")
        assert await agent.call("kg_progress", task_id="BIG.MOVE", state="done") == "Saved the state of 'big-move'."
        assert (
            await agent.call("kg_progress", task_id="Big-Move", state="")
            == "Forgot the state of 'big-move'. It was:\n  done"
        )

    live(scenario)


def test_a_state_that_goes_is_shown_once_more_and_one_of_another_session_is_told_of(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent, other = world.agent("s-1", harness="narrow"), world.agent("s-2")
        state = "\n".join(f"step {number} is done" for number in range(300))
        assert await agent.call("kg_progress", task_id="big-move", state="begun") == "Saved the state of 'big-move'."
        assert await agent.call("kg_progress", task_id="big-move", state=state) == "Saved the state of 'big-move'."
        told = await other.call("kg_progress", task_id="big-move", state=state)
        assert told.startswith("Saved the state of 'big-move', in place of what another session saved 20")

        parts = [await agent.call("kg_progress", task_id="big-move", state="")]
        while "more=true" in parts[-1]:
            parts.append(await agent.call("kg_read", more=True))

        assert parts[0].startswith("Forgot the state of 'big-move'. It was:")
        assert all(f"step {number} is done" in "".join(parts) for number in range(300))

    live(scenario)


def test_who_saves_beside_a_state_on_another_level_is_told_of_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        said = await agent.call("kg_progress", task_id="big-move", state="half", level="project")
        assert said == "Saved the state of 'big-move'."
        said = await agent.call("kg_progress", task_id="Big_Move", state="more")
        assert "Note: this is level 'user', and level 'project' has a state of it too." in said

    live(scenario)
