"""A memory that a hand has written into: what kg does not know stays in the file and breaks no reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    Live = Callable[[Callable[[Any], Coroutine[Any, Any, None]]], None]

ODD = {
    "keys nobody knows": {"gist": "Kettles whistle.", "mood": {"x": [1, None]}, "observations": ["a"], "": 0},
    "fields of another type": {"gist": "Kettles whistle.", "notes": "one line", "touches": 5, "tags": {"a": 1}},
    "times that are none": {"gist": "Kettles whistle.", "created": "yesterday", "written": {"at": -1, "by": None}},
    "votes that are none": {"gist": "Kettles whistle.", "useful": "often", "status": ["x"], "conflicts": 1},
    "no gist": {"name": "kettle", "entityType": "tool"},
    "a gist that is no text": {"gist": ["Kettles", "whistle."]},
}


@pytest.mark.parametrize("record", ODD.values(), ids=ODD)
def test_a_record_with_whatever_keys_breaks_no_reply_and_keeps_them(live: Live, record: dict[str, Any]) -> None:
    async def scenario(world: Any) -> None:
        await world.service.close()
        file = world.root / ".kg" / "memory" / "user.json"
        edges = [{"from": "kettle", "rel": "near", "to": "stove", "weight": 0.5}, {"from": "kettle"}, 7]
        file.write_text(json.dumps({"nodes": {"kettle": record}, "edges": edges, "more": 1}), encoding="utf-8")
        await world.restart()
        agent = world.agent("s-1")

        await agent.start()
        await agent.prompt("Why do kettles whistle?")
        assert "kettle" in await agent.call("kg_read")
        assert "kettle" in await agent.call("kg_read", ids=["kettle"])
        await agent.call("kg_search", query="kettle whistle")
        await agent.call("kg_sync")
        await agent.put("stove", "Stoves are hot.", level="user")
        await agent.call("kg_put_edge", **{"from": "kettle", "rel": "on", "to": "stove", "level": "user"})
        await world.service.close()

        kept = json.loads(file.read_text(encoding="utf-8"))
        assert "stove" in kept["nodes"]
        assert kept["more"] == 1
        assert edges[0] in kept["edges"]
        texts = json.dumps(kept["nodes"]["kettle"], sort_keys=True)
        assert all(json.dumps(value, sort_keys=True) in texts for value in record.values()), texts
        await world.restart()

    live(scenario)


def test_a_write_takes_nothing_away_that_its_writer_could_not_be_shown(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.service.close()
        file = world.root / ".kg" / "memory" / "user.json"
        record = {"gist": ["Kettles", "whistle."], "notes": ["the steam", 5], "locked": "no idea"}
        file.write_text(json.dumps({"nodes": {"kettle": record}}), encoding="utf-8")
        await world.restart()
        agent = world.agent("s-1")
        await agent.start()
        await agent.call("kg_read", ids=["kettle"])

        await agent.put("kettle", "Kettles whistle.", level="user", notes=["so one comes"])
        await world.service.close()

        kept = json.loads(file.read_text(encoding="utf-8"))["nodes"]["kettle"]
        assert (kept["gist"], kept["notes"]) == ("Kettles whistle.", ["so one comes"])
        assert kept["gist as it was"] == record["gist"]
        assert kept["notes as it was"] == record["notes"]
        assert kept["locked"] == "no idea"
        await world.restart()

    live(scenario)
