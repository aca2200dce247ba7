"""An optional database that is stopped, slow, robbed, empty, crowded or of another model: what a session notices of it.

The built-in index answers, the trouble is told once and ends by itself, and the files have everything all along.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import kg_search_pg.opening
from kg_core.host import Plugins
from kg_core.model import USER
from kg_core.policy import request
from kg_core.store import Home, Settings
from kg_plugin_api import Carrier, RawEvent, SearchRequest
from kg_search_pg.opening import open_backend
from kg_server.interface import ToolCall
from kg_server.searching import State, follower
from kg_server.service import Service

from .private import dsn, processes, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

LESSONS = {
    "harbour-crane-limits": "The harbour crane lifts five tonnes.",
    "kettle-whistle": "The kettle whistles when the water boils.",
}
PROMPT = "How many tonnes does the harbour crane lift?"
CROWD = 64


@dataclass
class Machine:
    """A served memory over its own Postgres, which comes back once a test lets it."""

    home: Path
    endpoint: Any
    service: Service
    may_open: asyncio.Event
    writer: dict[str, object] = field(default_factory=dict)
    """How a client without hooks says who it is."""

    @property
    def memory(self) -> Any:
        return self.service._memory

    def is_well(self) -> bool:
        """Whether Postgres answers and has everything, vectors too."""
        following = self.memory.follower
        is_answering = following.state is State.ANSWERING and not following.behind
        return is_answering and self.search()["said"].get("lag") == 0 and not self.problems()

    def problems(self) -> list[str]:
        found: Any = self.service.health()["problems"]
        return [problem["sentence"] for problem in found if problem["kind"] == "search"]

    def search(self) -> Any:
        return self.service.health()["search"]

    async def event(self, session: str, native: str, **payload: str) -> str:
        told = {"session_id": session, "cwd": str(self.home.parent), "hook_event_name": native, **payload}
        reply = await self.service.event("claude", RawEvent(native=native, carrier=Carrier.HOOK_CLIENT, payload=told))
        if reply.delivery:
            self.service.acknowledge(reply.delivery, arrived=True)
        return reply.output

    async def call(self, tool: str, **arguments: object) -> str:
        reply = await self.service.call(ToolCall(name=tool, arguments={**self.writer, **arguments}))
        assert not reply.is_error, reply.text
        if reply.delivery:
            self.service.acknowledge(reply.delivery, arrived=True)
        return reply.text

    async def put(self, node_id: str, gist: str) -> None:
        await self.call("kg_put_node", level="user", id=node_id, gist=gist)

    async def recalled(self) -> list[list[str]]:
        """What a crowd of prompts finds at once, each within what a prompt may take."""
        async with asyncio.timeout(30):
            asked = (self.memory.search(request(PROMPT, (USER,)), patience=0.1) for _ in range(CROWD))
            return [[hit.id for hit in found.hits][:1] for found in await asyncio.gather(*asked)]

    async def noticed(self) -> None:
        """Asks until it is told that Postgres is out."""
        for _ in range(1_200):
            await self.memory.search(SearchRequest(text="tonnes", graphs=(USER,)))
            if self.problems():
                return
            await asyncio.sleep(0.05)
        raise AssertionError("it was not noticed")

    async def found_by_postgres(self, text: str) -> list[str]:
        """What Postgres finds by words, once it is asked again: a crowd makes it slow, and then it is let rest."""
        asked = SearchRequest(text=text, graphs=(USER,), budget=30.0)
        for _ in range(1_200):
            hits = (await self.memory.search(asked)).hits
            if any(hit.ranks for hit in hits):
                return [hit.id for hit in hits if "lexical" in hit.ranks]
            await asyncio.sleep(0.05)
        raise AssertionError("it was not asked again")

    async def blow(self, kind: signal.Signals) -> None:
        for pid in processes(self.home):
            os.kill(pid, kind)

    async def sql(self, statement: bytes) -> None:
        async with await psycopg.AsyncConnection.connect(dsn(self.home), autocommit=True) as connection:
            await connection.execute(statement)

    def kept(self) -> set[str]:
        """The lessons in the file."""
        told = json.loads(Home(self.home).graph(USER).read_text(encoding="utf-8"))
        return set(told["nodes"])


@contextlib.asynccontextmanager
async def served(home: Path, endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Machine]:
    options = {"embedder": "openai", "url": endpoint.url, "model": "stand-in"}
    settings = Settings.model_validate({"search": {"backend": "pg", "options": options}})
    may_open = asyncio.Event()
    may_open.set()

    async def opening(*arguments: Any, **named: Any) -> Any:
        await may_open.wait()
        return await open_backend(*arguments, **named)

    monkeypatch.setattr(kg_search_pg.opening, "open_backend", opening)
    monkeypatch.setattr(follower, "_LOOK_SECONDS", 0.2)
    service = await Service.open(Home(home), clock=Clock(), plugins=Plugins.load(), settings=settings, version="1")
    machine = Machine(home, endpoint, service, may_open)
    try:
        (session,) = re.findall(r"session_id: (\S+)", await machine.call("kg_read", level="user"))
        machine.writer["session_id"] = session
        yield machine
    finally:
        may_open.set()
        await service.close()


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        self.now += 1_000
        return self.now


async def killed(machine: Machine) -> None:
    await machine.blow(signal.SIGKILL)


async def frozen(machine: Machine) -> None:
    await machine.blow(signal.SIGSTOP)


async def without_extension(machine: Machine) -> None:
    await machine.sql(b"drop extension vector cascade")


async def without_tables(machine: Machine) -> None:
    await machine.sql(b"drop schema kg cascade")


@pytest.mark.parametrize(
    "trouble", [killed, frozen, without_extension, pytest.param(without_tables, marks=pytest.mark.nightly)]
)
def test_an_outage_costs_no_lesson_and_no_answer_and_is_told_once_to_each_session(
    tmp_path: Path,
    endpoint: Any,
    monkeypatch: pytest.MonkeyPatch,
    trouble: Callable[[Machine], Awaitable[None]],
) -> None:
    home = tmp_path / "memory"
    notice = "Tell the user: The search backend pg does not answer since"

    async def main() -> None:
        async with served(home, endpoint, monkeypatch) as machine:
            for node_id, gist in LESSONS.items():
                await machine.put(node_id, gist)
            await until(machine.is_well)
            assert notice not in await machine.event("early", "SessionStart", source="startup")
            assert await machine.recalled() == [["harbour-crane-limits"]] * CROWD
            assert await machine.found_by_postgres("tonnes") == ["harbour-crane-limits"]

            machine.may_open.clear()
            await trouble(machine)
            assert await machine.recalled() == [["harbour-crane-limits"]] * CROWD
            await machine.noticed()

            assert await machine.recalled() == [["harbour-crane-limits"]] * CROWD
            (told,) = machine.problems()
            assert told.startswith(notice.removeprefix("Tell the user: "))
            assert machine.search()["state"] == "out"
            for session in ("early", "late"):
                heard = [
                    await machine.event(session, "SessionStart", source="startup" if session == "late" else "resume"),
                    *[await machine.event(session, "UserPromptSubmit", prompt=PROMPT) for _ in range(3)],
                ]
                assert sum(text.count(notice) for text in heard) == 1, heard
            await machine.put("walnut-shell", "The walnut shell is hard.")
            assert "walnut-shell" in await machine.call("kg_search", query="walnut")

            machine.may_open.set()
            await until(machine.is_well)
            for text, node_id in (("walnut", "walnut-shell"), ("tonnes", "harbour-crane-limits")):
                assert await machine.found_by_postgres(text) == [node_id]
            assert notice not in await machine.event("after", "SessionStart", source="startup")
        assert machine.kept() == {*LESSONS, "walnut-shell"}

    asyncio.run(main())


def test_an_empty_memory_one_of_one_lesson_and_a_crowd_are_no_trouble(
    tmp_path: Path, endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with served(tmp_path / "memory", endpoint, monkeypatch) as machine:
            await until(lambda: machine.memory.follower.state is State.ANSWERING)
            assert await machine.recalled() == [[]] * CROWD
            assert machine.problems() == []
            assert "Nothing matches" in await machine.call("kg_search", query="harbour")

            await machine.put("harbour-crane-limits", LESSONS["harbour-crane-limits"])
            await until(machine.is_well)
            assert await machine.recalled() == [["harbour-crane-limits"]] * CROWD
            assert await machine.found_by_postgres("tonnes") == ["harbour-crane-limits"]
            assert machine.memory.follower.state is State.ANSWERING
            assert machine.problems() == []

    asyncio.run(main())


def test_vectors_of_other_dimensions_are_told_words_still_find_and_a_new_index_mends_it(
    tmp_path: Path, endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with served(tmp_path / "memory", endpoint, monkeypatch) as machine:
            for node_id, gist in LESSONS.items():
                await machine.put(node_id, gist)
            await until(machine.is_well)
            endpoint.dimensions = 5
            await machine.put("walnut-shell", "The walnut shell is hard.")
            await until(lambda: "problem" in machine.search()["said"])

            assert "5 dimensions" in machine.search()["said"]["problem"]
            first, second = [await machine.call("kg_search", query="walnut") for _ in range(2)]
            assert "walnut-shell" in first
            assert "5 dimensions" in first
            assert "5 dimensions" not in second, "it is said once"
            assert await machine.recalled() == [["harbour-crane-limits"]] * CROWD

            operation = Plugins.load().operation("pg", "reindex")
            assert operation is not None
            await operation.run({})
            await until(lambda: machine.is_well() and machine.search()["said"].get("dimensions") == 5)
            assert machine.search()["said"]["rows"] == 2 * 3, "each gist is there twice, once with its id"
            assert await machine.found_by_postgres("walnut") == ["walnut-shell"]
        assert machine.kept() == {*LESSONS, "walnut-shell"}

    asyncio.run(main())
