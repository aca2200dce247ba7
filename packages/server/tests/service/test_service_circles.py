"""Circles of evidence that people and git write: kept, said, and gone when they are."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from kg_core.model import DERIVED_FROM, Edge, Graph, Node
from kg_server.circles import Circles

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]


def file_of(world: Any) -> Path:
    return world.root / ".kg" / "memory" / "projects" / "shop" / "graph.json"


def related(world: Any, *pairs: tuple[str, str]) -> None:
    """Writes this evidence into the project's file, as a person would."""
    path = file_of(world)
    record = json.loads(path.read_text(encoding="utf-8"))
    others = [edge for edge in record["edges"] if edge["rel"] != DERIVED_FROM]
    record["edges"] = [*others, *({"from": one, "rel": DERIVED_FROM, "to": other} for one, other in pairs)]
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


async def told(world: Any, *, is_there: bool) -> str:
    """What health says of circles, once it says something, or nothing."""
    for _ in range(2_000):
        await world.service._memory.store.look()
        sentences = [each["sentence"] for each in world.service.health()["problems"] if each["kind"] == "circle"]
        if bool(sentences) is is_there:
            return "".join(sentences)
        await asyncio.sleep(0.005)
    raise AssertionError("it never came to that")


async def three(world: Any) -> Any:
    writer = world.agent("s-1")
    for name in ("claim-one", "claim-two", "claim-three"):
        await writer.put(name, f"Zebra {name}.")
    await world.service._memory.store.snapshot()
    return writer


def test_a_circle_that_a_person_writes_is_kept_said_and_mended(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = await three(world)
        related(world, ("claim-one", "claim-two"), ("claim-two", "claim-three"), ("claim-three", "claim-one"))
        sentence = await told(world, is_there=True)
        assert sentence.count(" --derived-from--> ") == 3
        assert "Tell the user: Lessons rest on themselves" in await world.agent("s-2").start()
        assert "Tell the user: " not in await world.agent("s-3", cwd="tools").start(), "it names lessons of shop"

        found = await writer.call("kg_search", query="claim-one", depth="ancestry")
        assert [line for line in found.splitlines() if line.startswith("    claim-")] == [
            "    claim-one --derived-from--> claim-two",
            "    claim-three --derived-from--> claim-one",
            "    claim-two --derived-from--> claim-three",
        ]
        await writer.put("claim-one", "Zebra claims go on.", notes=["A case."])
        await writer.call("kg_rename_node", old_id="claim-two", new_id="claim-second")
        assert "claim-second" in await told(world, is_there=True)

        await writer.call("kg_delete_edge", from_="claim-three", rel=DERIVED_FROM, to="claim-one")
        await told(world, is_there=False)

    live(scenario)


def test_a_circle_is_found_again_after_a_restart(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await three(world)
        related(world, ("claim-one", "claim-two"), ("claim-two", "claim-one"), ("claim-three", "claim-three"))
        await told(world, is_there=True)
        await world.restart()
        await world.agent("s-3").start()
        sentence = await told(world, is_there=True)
        assert "claim-three --derived-from--> claim-three" in sentence

    live(scenario)


def test_an_import_keeps_a_circle_and_says_so(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await three(world)
        offers = world.service.keeping.offers
        begun = await offers.begin({"kind": "import", "source": "/elsewhere", "cwd": world.folder("shop")})
        edges = [
            {"from": "claim-one", "rel": DERIVED_FROM, "to": "claim-two"},
            {"from": "claim-two", "rel": DERIVED_FROM, "to": "claim-one"},
        ]
        await offers.take(begun["offer"], {"target": {"level": "project"}, "edges": edges})
        assert (await offers.end(begun["offer"]))["graphs"][0]["edges"] == 2
        assert "claim-two --derived-from--> claim-one" in await told(world, is_there=True)

    live(scenario)


def test_what_many_writes_ask_for_is_looked_through_once() -> None:
    edge = Edge(source="a", rel=DERIVED_FROM, target="a")
    graph = Graph.build("user", nodes={"a": Node(id="a", gist="a")}, edges={edge.key: edge})
    told: list[str] = []
    something = asyncio.Event()

    class Told:
        def report(self, kind: object, path: str, sentence: str, *, graph: str) -> None:
            told.append(sentence)
            something.set()

    async def main() -> None:
        circles = Circles(Told(), lambda: {"user": graph})  # type: ignore[arg-type]
        for _ in range(50):
            circles.look("user")
        await asyncio.wait_for(something.wait(), 10)
        await circles.close()

    asyncio.run(main())
    assert len(told) == 1
    assert "a --derived-from--> a" in told[0]


def test_a_file_without_evidence_and_views_is_written_as_it_was(live: Live) -> None:
    async def scenario(world: Any) -> None:
        writer = await three(world)
        await writer.call("kg_put_edge", from_="claim-one", rel="uses", to="claim-two")
        await world.service._memory.store.snapshot()
        before = file_of(world).read_bytes()
        assert not any(word in before for word in (b"kind", b"observe", b"derived"))
        await world.restart()
        await world.agent("s-2").call("kg_search", query="zebra", depth="ancestry")
        await world.service.close()
        assert file_of(world).read_bytes() == before

    live(scenario)
