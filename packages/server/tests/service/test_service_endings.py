"""Sessions that go on in another folder, and sessions that end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_server.contexts import ContextKey

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant; without it rows leak across tenants."
RETRY = "Retries need full jitter and a cap."


async def at_home(world: Any) -> Any:
    """A session that began in the person's home folder, where only the user's memory applies."""
    agent = world.agent("s-2", cwd="")
    agent.cwd = str(world.root.parent)
    assert CACHE not in await agent.start()
    return agent


def test_a_session_without_a_project_gets_that_of_the_code_base_it_goes_to(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        agent = await at_home(world)

        agent.cwd = world.folder("shop") + "/src"

        assert CACHE in await agent.after_tool()
        assert CACHE not in await agent.prompt("And what about the weather?")
        await agent.put("retry-jitter", RETRY)
        assert RETRY in await world.agent("s-3").start()

    live(scenario)


def test_a_folder_that_is_no_code_base_does_not_become_the_project_of_a_session(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        agent = await at_home(world)
        (world.root / "anywhere").mkdir()

        for folder in (str(world.root / "anywhere"), "not/absolute", "", "bad\0name"):
            agent.cwd = folder
            assert await agent.after_tool() == ""
        agent.cwd = world.folder("shop")

        assert CACHE in await agent.after_tool()

    live(scenario)


def test_a_session_keeps_its_project_wherever_it_goes(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1", cwd="other").put("retry-jitter", RETRY)
        agent = world.agent("s-2")
        await agent.start()

        agent.cwd = world.folder("other")

        assert await agent.after_tool() == ""
        await agent.put("cache-key", CACHE)
        assert CACHE in await world.agent("s-3").start()

    live(scenario)


@pytest.mark.parametrize("native", ["AgentStop", "End"])
def test_what_is_told_of_an_unknown_session_opens_none(live: Live, native: str) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("nobody", agent="a-1").event(native)
        assert world.service.health()["contexts"] == 0

    live(scenario)


def test_a_session_that_has_ended_is_taken_up_again_and_told_nothing_twice(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        agent = world.agent("s-2")
        assert CACHE in await agent.start()
        await agent.event("End")
        await world.restart()
        assert await agent.start("resume") == ""

    live(scenario)


def test_with_a_session_its_subagents_have_ended_and_with_a_subagent_it_alone(live: Live) -> None:
    async def scenario(world: Any) -> None:
        main, first, second = (world.agent("s-1", agent=name) for name in ("", "a-1", "a-2"))
        await main.start()
        for subagent in (first, second):
            await subagent.event("AgentStart")

        def ended() -> list[bool]:
            keys = (ContextKey("hooked", "s-1", name) for name in ("", "a-1", "a-2"))
            return [world.service._registry.find(key).ended for key in keys]

        await main.event("AgentStop")
        assert ended() == [False, False, False]
        await first.event("AgentStop")
        assert ended() == [False, True, False]
        await main.event("End")
        assert ended() == [True, True, True]
        await second.event("After", tool="Read", tool_kind="read", tool_use="u-1")
        assert ended() == [True, True, False]

    live(scenario)
