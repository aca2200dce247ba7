"""The limits that tools tell of are those they keep, and no reply is longer than its client lets through."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kg_plugin_api import Unit
from kg_server.tools.arguments import schema
from kg_server.tools.catalogue import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]
    Made = Callable[[int], object]

NODE = {"level": "project", "id": "cache-key", "gist": "Cache keys include the tenant."}
EDGE = {"from": "cache-key", "rel": "guards", "to": "src/a.py"}


def many(count: int) -> list[str]:
    return [f"src/{number}.py" for number in range(count)]


def long(length: int) -> str:
    return "ä" * length


def listed(length: int) -> list[str]:
    return [long(length)]


LIMITS: list[tuple[str, dict[str, Any], str, Made, int]] = [
    ("kg_put_node", NODE, "id", long, 128),
    ("kg_put_node", NODE, "gist", long, 1_000),
    ("kg_put_node", NODE, "notes", many, 200),
    ("kg_put_node", NODE, "notes", listed, 8_000),
    ("kg_put_node", NODE, "touches", many, 100),
    ("kg_put_node", NODE, "touches", listed, 512),
    ("kg_put_node", NODE, "tags", many, 32),
    ("kg_put_node", NODE, "tags", listed, 64),
    ("kg_put_node", NODE, "observer", long, 128),
    ("kg_put_node", NODE, "observed", long, 128),
    ("kg_put_edge", EDGE, "rel", long, 64),
    ("kg_put_edge", EDGE, "to", lambda length: "src/" + long(length - 4), 512),
    ("kg_put_edge", EDGE, "notes", many, 200),
    ("kg_put_edge", EDGE, "notes", listed, 8_000),
    ("kg_rename_node", {"old_id": "cache-key"}, "new_id", long, 128),
    ("kg_progress", {}, "task_id", long, 128),
    ("kg_progress", {"task_id": "move"}, "state", lambda size: "ä" * (size // 2) + "x" * (size % 2), 65_536),
]


@pytest.mark.parametrize(("tool", "besides", "name", "made", "most"), LIMITS)
def test_so_much_is_taken_and_of_one_more_the_limit_is_told(
    live: Live, tool: str, besides: dict[str, Any], name: str, made: Made, most: int
) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.call("kg_put_node", **NODE)

        refusal = await agent.refused(tool, **{**besides, name: made(most + 1)})

        assert str(most) in re.findall(r"\d+", refusal.replace(",", ""))
        await agent.call(tool, **{**besides, name: made(most)})

    live(scenario)


@pytest.mark.parametrize("tool", ["kg_read", "kg_useful"])
def test_a_call_takes_as_many_ids_as_its_schema_says(live: Live, tool: str) -> None:
    most = schema(TOOLS[tool].arguments)["properties"]["ids"]["maxItems"]

    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        await agent.call("kg_put_node", **NODE)
        ids = ["cache-key", *(f"missing-{number}" for number in range(most - 1))]
        assert f"at most {most} go into one call" in await agent.refused(tool, ids=[*ids, "one-more"])
        assert "cache-key" in await agent.call(tool, ids=ids)

    live(scenario)


@pytest.mark.parametrize(("harness", "limit"), [("narrow", 2_000), ("queued", 3_500), ("mcp", 11_000)])
def test_no_reply_is_longer_than_its_client_lets_through(live: Live, harness: str, limit: int) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1", harness=harness)
        await agent.call("kg_read")
        name = long(1_000)
        notes = [f"{number} {long(7_000)}" for number in range(20)]
        calls: list[tuple[str, dict[str, Any]]] = [
            ("kg_put_node", {**NODE, "notes": notes, "touches": many(100)}),
            ("kg_put_node", {**NODE, "notes": ["one"], "touches": []}),
            ("kg_put_node", {**NODE, "id": name}),
            ("kg_put_node", {**NODE, "id": "Cache Key"}),
            ("kg_put_node", {**NODE, "notes": [1] * 500}),
            ("kg_put_node", {f"{number}{name}": "x" for number in range(60)}),
            ("kg_put_node", {**NODE, "derived_from": [name]}),
            ("kg_put_edge", {"from": name, "rel": name, "to": name}),
            ("kg_put_edge", {"from": "cache-key", "rel": "guards", "to": "src/a.py", "notes": notes}),
            ("kg_delete_edge", {"from": name, "rel": name, "to": name}),
            ("kg_rename_node", {"old_id": name, "new_id": name}),
            ("kg_read", {"ids": ["cache-key"]}),
            ("kg_read", {"ids": [f"{number}{name[10:]}" for number in range(50)]}),
            ("kg_useful", {"ids": [f"{number}{name[10:]}" for number in range(10)]}),
            ("kg_search", {"query": long(100_000)}),
            ("kg_search", {"query": "cache", "tags": [name]}),
            ("kg_progress", {"task_id": "move", "state": long(30_000)}),
            ("kg_progress", {"task_id": "move"}),
            ("kg_progress", {"task_id": "move", "state": ""}),
            ("kg_rules", {"path": name}),
            ("kg_sync", {}),
            (name, {}),
            ("kg_delete_node", {"id": "cache-key"}),
        ]
        for tool, arguments in calls:
            reply = await agent.reply(tool, **arguments)
            assert Unit.BYTES.measure(reply.text) <= limit, (tool, [*arguments])
            assert reply.text

    live(scenario)
