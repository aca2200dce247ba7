"""This product, in the environment that runs the benchmark or in one of its own."""

from __future__ import annotations

import asyncio
import json
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.model import Change, Edge, Node, Stamp, StampKind, Use, Written
from kg_core.model import Tier as OurTier
from kg_core.store import Home, Settings, Store, Write
from kg_server.carrier.version import VERSION
from speed.process import Process, scratch_environ, until
from speed.shim import first_answer
from speed.wire import Connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speed.corpus import Corpus, Lesson
    from speed.subject import Places

SESSION: Final = "bench-open"
TOOL_USE: Final = "bench-call"
BATCH: Final = 500
"""Lessons per write while the memory is filled."""


class Kg:
    """Our server, asked over its own hooks and MCP routes as Claude Code's carriers ask it."""

    title = f"kg {VERSION}"

    def __init__(self, places: Places, commands: Path | None = None) -> None:
        """``commands`` is the folder of the ``kg`` to measure; without one, that of this environment."""
        self._places = places
        self._environ = scratch_environ(places.home, KG_HOME=str(places.storage))
        self._command = str((commands or Path(sysconfig.get_path("scripts"))) / "kg")
        self._serving = [self._command, "serve"]
        self._process: Process | None = None
        self._connection: Connection | None = None
        self._unsettled: list[str] = []

    def prepare(self, corpus: Corpus) -> None:
        """Fills the storage through the store."""
        asyncio.run(_fill(self._places, corpus))

    def start(self) -> float:
        """Starts the server, on a free port; the seconds until it was healthy."""
        Home(self._places.storage).config.write_text("[server]\nport = 0\n", encoding="utf-8")
        self._process = Process.start(self._serving, self._environ, self._places.log, self._healthy)
        return self._process.start_seconds

    def stop(self) -> None:
        """Stops it."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.stop()

    def resident_mib(self) -> float:
        """Resident memory of the server."""
        assert self._process is not None
        return self._process.resident_mib()

    def open_session(self) -> None:
        """A session that has its preload, whose next calls are bound by a hook, and that has made its full read."""
        self._event("SessionStart", "hook_client", SESSION, source="startup")
        self.settle()
        self._event("PreToolUse", "mcp_hook", SESSION, tool_name="mcp__plugin_kg_kg__kg_read", tool_use_id=TOOL_USE)
        self.read_full()

    def indexed(self, nodes: int) -> None:
        """Returns once so many nodes can be searched."""
        until(lambda: json.loads(self._wire().get("/health"))["indexed"] >= nodes)

    def settle(self) -> None:
        """Acknowledges what the last event brought, as its carrier does after the client has gone on."""
        while self._unsettled:
            self._wire().post("/ack", {"delivery": self._unsettled.pop(), "arrived": True})

    def preload(self, turn: int) -> str:
        """The session start event, as the hook client sends it."""
        return self._event("SessionStart", "hook_client", f"bench-{turn}", source="startup")

    def prompt(self, text: str) -> str:
        """The prompt event, as the shim sends it."""
        return self._event("UserPromptSubmit", "mcp_hook", SESSION, prompt=text)

    def after_read(self, path: str) -> str:
        """The event after a read, as the shim sends it."""
        return self._event("PostToolUse", "mcp_hook", SESSION, **self._places.read_of(path))

    def read_full(self) -> str:
        """The whole memory."""
        return self._call("kg_read")

    def read_node(self, lesson_id: str) -> str:
        """One lesson by id."""
        return self._call("kg_read", ids=[lesson_id])

    def search(self, query: str) -> str:
        """A search over both levels."""
        return self._call("kg_search", query=query)

    def put_node(self, lesson_id: str, gist: str) -> str:
        """Writes one lesson."""
        return self._call("kg_put_node", level="project", id=lesson_id, gist=gist)

    def put_edge(self, source: str, target: str) -> str:
        """Writes one edge."""
        return self._call("kg_put_edge", level="project", **{"from": source, "to": target, "rel": "bench"})

    def first_answer(self) -> float:
        """The shim that a client starts."""
        return first_answer([self._command, "mcp", "--harness", "claude"], self._environ)

    def _event(self, native: str, carrier: str, session: str, **fields: object) -> str:
        payload = {"hook_event_name": native, "session_id": session, "cwd": str(self._places.project), **fields}
        reply = json.loads(self._wire().post(f"/hooks/claude/{native}", {"carrier": carrier, "payload": payload}))
        if reply["delivery"]:
            self._unsettled.append(reply["delivery"])
        return str(reply["output"])

    def _call(self, tool: str, **arguments: object) -> str:
        return self._wire().call("/mcp", tool, arguments, {"claudecode/toolUseId": TOOL_USE})

    def _healthy(self) -> bool:
        try:
            return bool(self._wire().get("/health"))
        except (OSError, ValueError, RuntimeError):
            self._connection = None
            return False

    def _wire(self) -> Connection:
        if self._connection is None:
            server = json.loads(Home(self._places.storage).server_file.read_text(encoding="utf-8"))
            headers = {"Authorization": f"Bearer {server['token']}", "Kg-Harness": "claude"}
            self._connection = Connection(server["port"], headers)
        return self._connection


async def _fill(places: Places, corpus: Corpus) -> None:
    home = Home(places.storage)
    store = await Store.open(home, settings=Settings.load(home))
    try:
        project = store.projects.resolve(str(places.project))
        assert project is not None
        await store.load(project.key)
        for change in _changes(project.key, corpus):
            await store.commit(Write(by="bench", at=_millis(corpus.lessons[-1].written), changes=(change,)))
    finally:
        await store.close()


def _changes(graph: str, corpus: Corpus) -> Iterator[Change]:
    """The corpus as changes of bounded size; every edge follows both of its ends."""
    for start in range(0, len(corpus.lessons), BATCH):
        some = corpus.lessons[start : start + BATCH]
        yield Change(
            graph=graph,
            nodes={lesson.id: _node(lesson) for lesson in some},
            use={lesson.id: _use(lesson) for lesson in some},
        )
    for start in range(0, len(corpus.links), BATCH):
        edges = [Edge(source=e.source, rel=e.rel, target=e.target) for e in corpus.links[start : start + BATCH]]
        yield Change(graph=graph, edges={edge.key: edge for edge in edges})


def _node(lesson: Lesson) -> Node:
    at = _millis(lesson.written)
    return Node(
        id=lesson.id,
        gist=lesson.gist,
        notes=lesson.notes,
        touches=(lesson.touch,),
        created=at,
        written=Written(at=at, by="bench", author="bench"),
    )


def _use(lesson: Lesson) -> Use:
    at = _millis(lesson.written)
    tier = OurTier(lesson.tier.value)
    return Use(
        tier=tier,
        activity_at=at,
        orphaned_at=at if tier is OurTier.ORPHANED else 0,
        stamps=(Stamp(at, StampKind.ENDORSEMENT, "bench"),) if lesson.useful else (),
    )


def _millis(seconds: float) -> int:
    return round(seconds * 1000)
