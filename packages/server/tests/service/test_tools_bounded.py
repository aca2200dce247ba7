"""Replies of a large memory keep the client's limit, and calls that arrive together are each carried out once."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import pytest

from kg_core.model import Change, EdgeKey, Node
from kg_core.store import Write
from kg_plugin_api import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

LIMIT = 2_000
"""Bytes of everything that the narrow client is given."""
MOST = 60
CALLS = {
    "kg_read": {},
    "kg_read of fifty": {"ids": [f"lesson-{number}" for number in range(50)]},
    "kg_search": {"query": "claim"},
    "kg_sync": {},
    "kg_rules": {},
    "kg_progress": {"task_id": "long-task"},
}


async def filled(world: Any) -> None:
    now = world.clock()
    for first in range(0, 5_000, 500):
        ids = [f"lesson-{number}" for number in range(first, first + 500)]
        nodes = {name: Node(id=name, gist=f"Claim of {name}: {'x' * 200}", created=now) for name in ids}
        change = Change(graph="project:shop", nodes=nodes)
        await world.service._memory.commit(Write(by="person", at=now, changes=(change,)))


@pytest.mark.parametrize("name", CALLS)
def test_of_five_thousand_lessons_every_reply_keeps_the_limit_and_says_what_it_lacks(live: Live, name: str) -> None:
    """Bug case 27."""

    async def scenario(world: Any) -> None:
        reader = world.agent("s-1", harness="narrow")
        await reader.start()
        await filled(world)
        await reader.call("kg_progress", task_id="long-task", state="y" * 30_000)
        parts = [await reader.call(name.split()[0], **CALLS[name])]
        while "more=true" in parts[-1] and len(parts) < MOST:
            assert f"(Part {len(parts)} of " in parts[-1]
            parts.append(await reader.call("kg_read", more=True))
        assert max(Unit.BYTES.measure(part) for part in parts) <= LIMIT
        if name == "kg_read":
            whole = "\n".join(parts)
            shown = sum(f"  lesson-{number}: " in whole for number in range(5_000))
            hidden = re.search(r"No room here for: ([\d,]+) gists", whole)
            assert hidden is not None
            assert int(hidden[1].replace(",", "")) == 5_000 - shown
        if name != "kg_sync":  # the whole of what changed may take any number of parts
            assert len(parts) < MOST

    live(scenario)


@pytest.mark.parametrize("limit", [-1, 10**9])
@pytest.mark.parametrize("tool", ["kg_read", "kg_search", "kg_sync"])
def test_no_argument_lifts_a_limit(live: Live, tool: str, limit: int) -> None:
    """Bug case 27."""

    async def scenario(world: Any) -> None:
        reader = world.agent("s-1")
        arguments = {"query": "claim"} if tool == "kg_search" else {}
        assert "limit" in await reader.refused(tool, limit=limit, **arguments)

    live(scenario)


def test_calls_of_one_message_are_each_carried_out_once(live: Live) -> None:
    """Bug case 1."""

    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("hub", "A hub.", notes=["one"])
        await writer.put("gone", "To be deleted.")
        await writer.put("leaf", "A leaf.")
        await asyncio.gather(
            writer.put("new", "A new one."),
            writer.put("hub", "A hub.", notes=["one", "two"]),
            writer.call("kg_delete_node", id="gone"),
            writer.call("kg_put_edge", from_="leaf", rel="needs", to="hub"),
            writer.call("kg_useful", ids=["leaf"]),
        )
        await world.restart()
        await world.service._memory.load("project:shop")
        graph = world.service._memory.durable("project:shop")
        assert set(graph.nodes) == {"hub", "leaf", "new"}
        assert graph.nodes["hub"].notes == ("one", "two")
        assert set(graph.edges) == {EdgeKey("leaf", "needs", "hub")}
        assert len(graph.use_of("leaf").stamps) == 1

    live(scenario)
