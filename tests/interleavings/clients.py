"""Agents as the explorer plays them: what they may ask, and what stands in front of their models."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kg_plugin_api import (
    Caller,
    Carrier,
    Event,
    EventKind,
    EventSpec,
    Harness,
    Limit,
    Maturity,
    Path,
    PathLimit,
    Queued,
    RawEvent,
    Recognition,
    StartContext,
    StartSource,
    Unit,
)
from kg_server.interface import ToolCall

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from kg_server.service import Service

KINDS = {"start": EventKind.SESSION_START, "prompt": EventKind.PROMPT}
WORDS = {"1": "one", "2": "two", "3": "three", "4": "four"}
_LINE = re.compile(r"^  ([\w.-]+): ([a-z]+ says [a-z]+)", re.MULTILINE)
_NOTE_END = re.compile(r"end-of-[a-z]+-[a-z]+")
HEADING = "Written by others meanwhile"
MUCH = "Much was written since"
PRELOAD = "shared memory of all coding agents"
FILLING = "and so on " * 60

Request = tuple[str, ...]
"""What a client asks: a verb and its words, such as ``("put", "alpha", "1")``."""


class Dialect:
    """Payloads are the fields of the neutral event, replies the text itself; a call names its session."""

    def parse(self, raw: RawEvent) -> Event | None:
        payload = raw.payload
        return Event(
            kind=KINDS[raw.native],
            native=raw.native,
            session=str(payload["session"]),
            cwd=str(payload["cwd"]),
            source=StartSource.of(payload.get("source")),
            prompt=str(payload.get("prompt", "")),
        )

    def reply(self, raw: RawEvent, text: str) -> str:
        del raw
        return text

    def caller(self, meta: Mapping[str, object]) -> Caller:
        return Caller(session=str(meta["session"]))


class NoWiring:
    """Nothing on disk."""

    def claims(self, site: object) -> tuple[()]:
        del site
        return ()

    steps = offers = claims


HARNESS = Harness(
    name="agent",
    title="An agent",
    maturity=Maturity.EXPERIMENTAL,
    recognition=Recognition(binaries=()),
    events=tuple(
        EventSpec(native=native, kind=kind, carrier=Carrier.HOOK_CLIENT, timeout=3) for native, kind in KINDS.items()
    ),
    start_context=StartContext.PERSISTS,
    limits=(
        PathLimit(path=Path.PRELOAD, limit=Limit(9_500, Unit.UTF16)),
        PathLimit(path=Path.EVENT, limit=Limit(9_500, Unit.UTF16)),
        PathLimit(path=Path.READ, limit=Limit(800, Unit.BYTES)),  # a node with a note takes two parts
    ),
    dialect=Dialect(),
    wiring=NoWiring(),
)


QUEUED = replace(
    HARNESS,
    name="queued",
    limits=tuple(PathLimit(path=path, limit=Limit(2_000, Unit.BYTES)) for path in Path),
    delivery=Queued(packet=Limit(1_000, Unit.BYTES), inline=Limit(300, Unit.BYTES), framing=100),
)
"""An agent that takes long texts in packets: a node with a note is one, and so is a preload."""

HARNESSES = {harness.name: harness for harness in (HARNESS, QUEUED)}


def gist(node_id: str, version: str) -> str:
    """The gist that a request to put ``version`` sends."""
    return f"{node_id} says {WORDS[version]}"


def note(node_id: str, version: str) -> str:
    """A note that takes more than one part of a reply; who has read its end has read it."""
    return f"{FILLING}{note_end(node_id, version)}"


def note_end(node_id: str, version: str) -> str:
    """The last word of a note."""
    return f"end-of-{node_id}-{WORDS[version]}"


def facts(text: str) -> frozenset[str]:
    """What a text tells: gists, and the ends of notes."""
    return frozenset([*(said for _, said in _LINE.findall(text)), *_NOTE_END.findall(text)])


def lines(text: str) -> list[tuple[str, str]]:
    """Nodes and gists, as a text shows them."""
    return _LINE.findall(text)


def told(node: Any) -> frozenset[str]:
    """What one must have been told to know a node in full."""
    return frozenset([node.gist, *(end for text in node.notes for end in _NOTE_END.findall(text))])


@dataclass(slots=True)
class Flight:
    """A request that is being answered. The client of an ``abandoned`` one has gone on without it."""

    request: Request
    task: asyncio.Task[Any]
    knew: frozenset[str]
    """What was in front of the model when it asked."""
    abandoned: bool = False


@dataclass(slots=True)
class Reply:
    """A reply on its way, or read and not acknowledged yet."""

    request: Request
    text: str
    delivery: str
    is_error: bool = False
    shown: Mapping[str, str] = field(default_factory=dict)
    """The versions of the nodes whose gists it shows."""
    is_gone: bool = False
    """Whether it was read by a model whose text is gone since."""


@dataclass(slots=True)
class Client:
    """One session of an agent. ``heard`` are the facts that stand in front of its model, ``wrote`` those it stated."""

    name: str
    cwd: str = ""
    harness: str = HARNESS.name
    heard: set[str] = field(default_factory=set)
    wrote: set[str] = field(default_factory=set)
    stated: set[str] = field(default_factory=set)
    """What any of its sessions of this name stated."""
    view: dict[str, str] = field(default_factory=dict)
    """The version last shown of each node, as far as the server knows that it arrived."""
    introduced: bool = False
    """Whether the server knows that the preload arrived."""
    is_sent_to_read: bool = False
    """Whether it was told to read again instead of what was written since, and the server knows that."""
    started: bool = False
    flights: list[Flight] = field(default_factory=list)
    lingering: set[str] = field(default_factory=set)
    """What it knew when it made writes that are still on their way although it went away."""
    transit: Reply | None = None
    unacknowledged: Reply | None = None

    @property
    def graphs(self) -> tuple[str, ...]:
        """The graphs that concern it."""
        return ("user", f"project:{PurePath(self.cwd).name}") if self.cwd else ("user",)

    @property
    def flight(self) -> Flight | None:
        """The request it waits for."""
        return next((flight for flight in self.flights if not flight.abandoned), None)

    @property
    def is_queued(self) -> bool:
        """Whether what it asked for may come with an event."""
        return isinstance(HARNESSES[self.harness].delivery, Queued)

    @property
    def knows(self) -> set[str]:
        """What it was told or stated itself."""
        return self.heard | self.wrote

    @property
    def knew(self) -> set[str]:
        """What it knows, and knew when it asked what it waits for."""
        return self.knows.union(self.lingering, *(flight.knew for flight in self.flights))

    @property
    def is_starting(self) -> bool:
        """Whether it waits for the answer to a start."""
        return any(flight.request[0] == "start" for flight in self.flights)

    def copy(self) -> Client:
        """The same client with nothing on its way."""
        return Client(
            name=self.name,
            cwd=self.cwd,
            harness=self.harness,
            heard=set(self.heard),
            wrote=set(self.wrote),
            stated=set(self.stated),
            view=dict(self.view),
            introduced=self.introduced,
            started=self.started,
        )

    def forget(self, *, for_good: bool) -> None:
        """Its model's text is gone, and if ``for_good``, the server takes it for another session as well."""
        self.heard.clear()
        if self.unacknowledged is not None:
            self.unacknowledged.is_gone = True
        if for_good:
            self.wrote.clear()
        self.view.clear()
        self.introduced = False

    def ask(self, service: Service, request: Request) -> Any:
        """The coroutine that answers the request."""
        verb, *words = request
        if verb in KINDS:
            payload = {"session": self.name, "cwd": self.cwd, "source" if verb == "start" else "prompt": words[0]}
            return service.event(self.harness, RawEvent(native=verb, carrier=Carrier.HOOK_CLIENT, payload=payload))
        tool, arguments = _call(verb, words)
        if verb in {"put", "note", "own"}:
            told = facts(f"  {words[0]}: {arguments['gist']}\n{' '.join(arguments.get('notes', ()))}")
            self.wrote |= told
            self.stated |= told
        call = ToolCall(name=tool, arguments=arguments, meta={"session": self.name}, harness=self.harness, cwd=self.cwd)
        return service.call(call)


def _call(verb: str, words: list[str]) -> tuple[str, Mapping[str, Any]]:
    """The tool and its arguments."""
    level = {"level": "user"}
    match verb, words:
        case "put", [node, version]:
            return "kg_put_node", {**level, "id": node, "gist": gist(node, version)}
        case "note", [node, version]:
            return "kg_put_node", {**level, "id": node, "gist": gist(node, version), "notes": [note(node, version)]}
        case "own", [node, version]:
            return "kg_put_node", {"level": "project", "id": node, "gist": gist(node, version)}
        case "delete", [node]:
            return "kg_delete_node", {"id": node}
        case "rename", [old, new]:
            return "kg_rename_node", {"old_id": old, "new_id": new}
        case "link", [source, target]:
            return "kg_put_edge", {"from": source, "rel": "helps", "to": target}
        case "unlink", [source, target]:
            return "kg_delete_edge", {"from": source, "rel": "helps", "to": target}
        case "useful", [node]:
            return "kg_useful", {"ids": [node]}
        case "read", [node]:
            return "kg_read", {"ids": [node]}
        case "more", []:
            return "kg_read", {"more": True}
        case "all", []:
            return "kg_read", MappingProxyType({})
        case "search", [query]:
            return "kg_search", {"query": query}
        case "sync", []:
            return "kg_sync", MappingProxyType({})
    raise ValueError(f"{verb} {words} is no request")
