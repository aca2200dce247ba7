"""A session keeps its project, and is told so when it asks for another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

KEEPS = "(cwd is outside of project 'shop', which this session keeps: "


@pytest.mark.parametrize("harness", ["hooked", "mcp"])
def test_who_reads_with_the_folder_of_another_project_is_told_whose_lessons_these_are(live: Live, harness: str) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1", harness=harness)
        here, there = agent.cwd, world.folder("desk")
        (world.root / "shop" / "src").mkdir()
        assert KEEPS not in await agent.call("kg_read", cwd=here)
        await agent.put("cache-key", "Cache keys include the tenant.")

        for folder in (there, str(world.root)):
            assert KEEPS in await agent.call("kg_read", cwd=folder)
            assert KEEPS in await agent.call("kg_read", cwd=folder, ids=["cache-key"])
        for folder in (here, f"{here}/src"):
            assert KEEPS not in await agent.call("kg_read", cwd=folder)

    live(scenario)


def test_who_names_a_folder_that_has_no_project_is_not_told_to_name_it_again(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1", cwd="", harness="mcp")
        assert "(No project memory: kg_read with cwd, " in await agent.call("kg_read")
        assert "(No project memory: cwd is in no project; " in await agent.call("kg_read", cwd="/")

    live(scenario)


def test_who_has_no_project_yet_is_given_the_one_of_the_folder(live: Live) -> None:
    async def scenario(world: Any) -> None:
        text = await world.agent("s-1", cwd="", harness="mcp").call("kg_read", cwd=world.folder("desk"))
        assert "Project memory (desk)" in text
        assert "outside of" not in text

    live(scenario)


def test_the_id_of_a_session_takes_no_part_for_itself(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1", harness="mcp")
        await agent.put(
            "cache-key", "Cache keys include the tenant.", level="user", notes=[f"{n} {'x' * 7_000}" for n in range(9)]
        )

        text = await agent.call("kg_read", ids=["cache-key"])

        assert text.startswith("session_id: ")
        assert "gist: Cache keys include the tenant." in text
        assert "(Part 1 of " in text

    live(scenario)
