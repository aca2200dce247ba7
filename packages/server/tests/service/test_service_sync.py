"""kg_sync never skips a change: over restarts, late loads, cut journals, long lists and projects that come later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import Unit
from kg_server.interface import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
NOTHING = "Nothing was changed by others."


def test_what_was_written_before_and_after_a_restart_is_listed_together(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("cache-key", CACHE)
        await reader.start()
        await writer.put("before-one", "Written before.")
        await writer.call("kg_rename_node", old_id="cache-key", new_id="cache-key-tenant")
        await world.restart()
        await writer.put("after-one", "Written after.", level="user")
        text = await reader.call("kg_sync")
        assert "before-one: Written before." in text
        assert "renamed: cache-key → cache-key-tenant" in text
        assert "after-one: Written after." in text
        await world.restart()
        assert await reader.call("kg_sync") == NOTHING

    live(scenario)


def test_a_project_that_is_loaded_late_hides_nothing(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        await world.restart()
        assert "project:shop" not in world.service._memory.loaded
        assert f"cache-key: {CACHE}" in await reader.call("kg_sync")

    live(scenario)


def test_where_the_journal_no_longer_reaches_back_the_session_is_told_to_read_again_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        await writer.put("cache-key", CACHE)
        store = world.service._memory.store
        store._history.forget(store.sequence)
        assert "call kg_read again" in await reader.call("kg_sync")
        assert await reader.call("kg_sync") == NOTHING
        await writer.put("retry-jitter", "Retries need jitter.")
        assert "retry-jitter: Retries need jitter." in await reader.call("kg_sync")

    live(scenario)


def test_a_long_list_comes_in_parts_and_counts_with_the_last_one(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await reader.start()
        for number in range(40):
            await writer.put(f"lesson-{number}", f"Claim {number}: {'x' * 250}")

        async def parts() -> list[str]:
            found = [await reader.call("kg_sync")]
            while "more=true" in found[-1]:
                found.append(await reader.call("kg_read", more=True))
            return found

        first = await reader.call("kg_sync")
        assert "more=true" in first
        whole = await parts()
        assert whole[0] == first
        assert all(Unit.BYTES.measure(part) <= 4_000 for part in whole)
        assert all(f"Claim {number}:" in "".join(whole) for number in range(40))
        assert await reader.call("kg_sync") == NOTHING

    live(scenario)


def test_a_session_outside_any_project_is_given_one_on_request(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        agent = world.agent("s-2", cwd="")
        agent.cwd = str(Path.home())
        await agent.start()
        assert "No project memory" in await agent.call("kg_read")
        assert CACHE in await agent.call("kg_read", cwd=world.folder("shop"))
        await world.restart()
        await agent.put("retry-jitter", "Retries need jitter.")
        assert "retry-jitter" in world.service._memory.durable("project:shop").nodes

    live(scenario)


def test_a_session_that_has_a_project_is_given_no_other(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.start()
        await agent.call("kg_read", cwd=world.folder("other"))
        await agent.put("cache-key", CACHE)
        assert "cache-key" in world.service._memory.durable("project:shop").nodes

    live(scenario)


def test_a_folder_without_a_project_attaches_nothing(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1", cwd="")
        assert "No project memory" in await agent.call("kg_read", cwd=str(Path.home()))
        assert CACHE not in await agent.call("kg_read", cwd=world.folder("shop"))
        await agent.put("cache-key", CACHE)
        assert "cache-key" in world.service._memory.durable("project:shop").nodes

    live(scenario)


@pytest.mark.parametrize("level", ["user", "project"])
def test_what_was_written_to_a_project_before_it_was_attached_is_not_lost_on_the_session(
    live: Live, level: str
) -> None:
    async def scenario(world: Any) -> None:
        async def call(name: str, **arguments: Any) -> str:
            reply = await world.service.call(ToolCall(name=name, arguments=arguments))
            world.service.acknowledge(reply.delivery, True)
            assert not reply.is_error, reply.text
            return str(reply.text)

        session = (await call("kg_read")).split("session_id: ")[1][:8]
        await world.agent("s-1").put("cache-key", CACHE, level=level)
        await call("kg_read", session_id=session, cwd=world.folder("shop"))
        assert f"cache-key: {CACHE}" in await call("kg_sync", session_id=session)
        assert await call("kg_sync", session_id=session) == NOTHING

    live(scenario)


def test_a_lesson_that_was_renamed_and_then_deleted_is_told_by_the_name_that_the_reader_knows(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer, reader = world.agent("s-1"), world.agent("s-2")
        await writer.put("first-name", CACHE)
        await reader.start()
        await reader.call("kg_sync")
        await writer.call("kg_rename_node", old_id="first-name", new_id="second-name")
        await writer.call("kg_rename_node", old_id="second-name", new_id="third-name")
        await writer.call("kg_delete_node", id="third-name")
        text = await reader.call("kg_sync")
        assert "deleted: first-name" in text
        assert "deleted: third-name" in text
        assert "renamed" not in text

    live(scenario)
