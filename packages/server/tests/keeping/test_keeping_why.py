"""``kg why`` on what is out of sight: each way back that it names, taken as a person or an agent would take it."""

from __future__ import annotations

import json

import pytest

from kg_core.model import Edge, Node, Stamp, StampKind, Tier, Use, Written
from kg_server.interface import ToolCall

ASKED = "asked-for"
SITUATIONS = {
    "room is left": {"others": 5, "tier": Tier.ARCHIVED},
    "room is left, orphaned": {"others": 5, "tier": Tier.ORPHANED},
    "the budget is full": {"others": 60, "tier": Tier.ARCHIVED},
    "the budget is full, orphaned": {"others": 60, "tier": Tier.ORPHANED},
    "superseded": {"others": 5, "tier": Tier.ARCHIVED, "superseded": True},
}
WAYS = ("read", "endorse", "lock")


def written(node_id: str, at: int) -> Node:
    return Node(id=node_id, gist=f"{node_id}: {'x' * 380}", created=at, written=Written(at=at, by="s", author="s"))


def prepared(server, *, others: int, tier: Tier, superseded: bool = False) -> None:
    """A memory at rest in which the one lesson has little to be said for it and is out of sight."""
    nodes = {ASKED: written(ASKED, server.clock())}
    nodes |= {name: written(name, server.clock()) for name in [f"other-{number:02d}" for number in range(others)]}
    voted = (Stamp(server.clock.now, StampKind.ENDORSEMENT, "s-9"),)
    use = {name: Use(activity_at=node.created, stamps=voted) for name, node in nodes.items() if name != ASKED}
    edge = Edge(source="other-00", rel="supersedes", target=ASKED)
    server.commit(nodes=nodes, use=use, edges={edge.key: edge} if superseded else {})
    at_rest(server)
    if server.graph("user").tier(ASKED) is not tier:
        server.commit(use={ASKED: Use(tier=tier, orphaned_at=server.clock() if tier is Tier.ORPHANED else 0)})


def at_rest(server) -> None:
    async def compact(service) -> None:
        service._compaction.look_at("user")
        await service._compaction.run()

    server.do(compact)


def call(server, tool: str, **arguments: object) -> None:
    reply = server.do(lambda service: service.call(ToolCall(name=tool, arguments=arguments, session_hint="shim")))
    assert not reply.is_error, reply.text

    async def arrived(service) -> None:
        service.acknowledge(reply.delivery, arrived=True)

    server.do(arrived)


def locked_by_hand(server) -> None:
    async def saved(service) -> None:
        await service._memory.store.snapshot()

    server.do(saved)
    path = server.home.graph("user")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["nodes"][ASKED]["locked"] = True
    path.write_text(json.dumps(document), encoding="utf-8")

    async def looked(service) -> None:
        await service._memory.store.look()

    server.do(looked)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("situation", SITUATIONS.values(), ids=SITUATIONS)
def test_each_way_back_that_is_named_leads_where_it_says(kg, server, situation, way) -> None:
    prepared(server, **situation)
    told = json.loads(kg("why", ASKED, "--json")[1])
    assert told["tier"] == situation["tier"].value
    promised = {each["action"]: each["tier"] for each in told["ways_back"]}
    assert set(promised) == set(WAYS)
    assert promised["lock"] == "active"
    assert "What would bring it back" in kg("why", ASKED)[1]

    match way:
        case "read":
            call(server, "kg_read", ids=[ASKED])
        case "endorse":
            call(server, "kg_useful", ids=[ASKED])
        case "lock":
            locked_by_hand(server)
    at_rest(server)

    after = json.loads(kg("why", ASKED, "--json")[1])
    assert after["tier"] == promised[way]
    assert bool(after["ways_back"]) == (promised[way] != "active")
