"""Calls of clients that name no session in them: hooks put it into their arguments, or shims know it from before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import Carrier, RawEvent
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


async def put_after(hint: str, world: Any, gist: str, harness: str = "hooked") -> ToolReply:
    """A call of which an event told, to a server that is gone, and through a shim that remembers of whom it told."""
    arguments = {"id": "cache-key", "level": "user", "gist": gist}
    call = ToolCall(
        name="kg_put_node",
        arguments=arguments,
        meta={"tool_use": "u-1"},
        harness=harness,
        session_hint="shim-1",
        context_hint=hint,
    )
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


def test_a_call_whose_server_went_away_after_the_hook_is_still_of_the_session_that_the_hook_named(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE, level="user")
        reader = world.agent("s-2")
        assert CACHE in await reader.start()
        payload = {"session": "s-2", "cwd": reader.cwd, "tool": "kg_put_node", "tool_kind": "own", "tool_use": "u-1"}
        before = RawEvent(native="Before", carrier=Carrier.MCP_HOOK, payload=payload)
        hint = (await world.service.event("hooked", before)).context

        await world.restart()

        assert (await put_after("", world, BOTH)).is_error
        assert (await put_after(hint, world, BOTH, harness="narrow")).is_error, "that is another client's"
        done = await put_after(hint, world, BOTH)
        assert (done.is_error, done.context) == (False, hint)

    live(scenario)


@pytest.mark.parametrize("hint", ["gone", "\ud800", "x" * 10_000])
def test_a_session_that_a_shim_remembers_and_nobody_knows_any_more_is_none(live: Live, hint: str) -> None:
    async def scenario(world: Any) -> None:
        assert not (await put_after(hint, world, CACHE)).is_error

    live(scenario)


def test_a_session_that_one_call_named_is_not_that_of_the_next_call_of_the_same_client(live: Live) -> None:
    async def scenario(world: Any) -> None:
        async def call(name: str, hint: str, shim: str, **arguments: str) -> ToolReply:
            asked = ToolCall(name=name, arguments=arguments, harness="mcp", session_hint=shim, context_hint=hint)
            return await world.service.call(asked)

        first = await call("kg_read", "", "shim-1")
        resumed = await call("kg_search", "", "shim-2", query="cache", session_id=first.context)
        other = await call("kg_read", resumed.context, "shim-2")

        assert f"session_id: {first.context} " in first.text
        assert f"session_id: {first.context} " not in other.text

    live(scenario)
