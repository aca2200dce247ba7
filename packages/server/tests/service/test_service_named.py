"""Calls of a client that names no session in them, but whose hooks may change their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_server.interface import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from kg_server.interface import ToolReply

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant."
BOTH = "Cache keys include tenant and language."


async def put(world: Any, gist: str, **named: str) -> ToolReply:
    arguments = {"id": "cache-key", "level": "user", "gist": gist, **named}
    call = ToolCall(name="kg_put_node", arguments=arguments, harness="hooked", session_hint="one shim for all")
    return await world.service.call(call)


def test_a_call_in_which_a_hook_has_named_the_session_is_of_that_session(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE, level="user")
        shown, unshown = world.agent("s-2"), world.agent("s-3")
        assert CACHE in await shown.start()
        unshown.arrives = False
        await unshown.start()

        assert (await put(world, BOTH)).is_error
        assert (await put(world, BOTH, session_id="s-3")).is_error
        assert not (await put(world, BOTH, session_id="s-2")).is_error

    live(scenario)


def test_a_session_that_no_event_has_told_of_yet_is_one_all_the_same(live: Live) -> None:
    async def scenario(world: Any) -> None:
        assert not (await put(world, CACHE, session_id="s-2")).is_error
        assert not (await put(world, BOTH, session_id="s-2")).is_error, "it has seen what it wrote itself"

    live(scenario)


def test_a_client_without_hooks_is_still_told_of_a_session_id_that_is_not_known(live: Live) -> None:
    async def scenario(world: Any) -> None:
        arguments = {"query": "cache", "session_id": "s-2"}
        reply = await world.service.call(ToolCall(name="kg_search", arguments=arguments, harness="mcp"))
        assert reply.is_error
        assert "is not known" in reply.text

    live(scenario)
