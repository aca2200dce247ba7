"""Starts and compactions that carriers kept while no server was there, told later: once, though it be often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import Carrier, RawEvent
from kg_server.carrier.late import LATE
from kg_server.interface import EventReply

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

CACHE = "Cache keys include the tenant; without it rows leak across tenants."


async def told_late(world: Any, agent: Any, native: str, since: int, **fields: str) -> None:
    """A carrier hands over what it kept; what that brings has nowhere to go."""
    payload = {"session": agent.session, "cwd": agent.cwd, **fields}
    raw = RawEvent(native=native, carrier=Carrier.HOOK_CLIENT, payload=payload, meta={LATE: since})
    reply = await world.service.event(agent.harness, raw)
    assert reply == EventReply(""), "nothing waits for an answer that is thrown away"


@pytest.mark.parametrize("harness", ["hooked", "queued"])
def test_a_start_that_is_told_late_gives_the_next_event_its_preload_once_however_often_it_is_told(
    live: Live, harness: str
) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        late, since = world.agent("s-2", harness=harness), world.clock.now
        await told_late(world, late, "Start", since, source="startup")
        assert CACHE in await late.prompt("thanks")
        world.clock.advance(60_000)
        await told_late(world, late, "Start", since, source="startup")
        assert CACHE not in await late.prompt("thanks")
        await world.restart()
        await told_late(world, late, "Start", since, source="startup")
        assert CACHE not in await late.prompt("thanks")

    live(scenario)


def test_a_compaction_that_is_told_late_brings_the_preload_again_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("cache-key", CACHE)
        late = world.agent("s-2")
        assert CACHE in await late.start()
        world.clock.advance(60_000)
        since = world.clock.now
        for _ in range(2):
            await told_late(world, late, "Start", since, source="compact")
            world.clock.advance(60_000)
        assert CACHE in await late.prompt("thanks")
        await told_late(world, late, "Start", since, source="compact")
        assert CACHE not in await late.prompt("thanks")

    live(scenario)
