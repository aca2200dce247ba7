"""A whole memory in a temporary home, and scripted agents that live through real events and calls."""

from __future__ import annotations

import asyncio
import shutil
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.host import Plugins
from kg_core.store import Home, Settings
from kg_core.store.settings import PreloadSettings, ProjectSettings, RuleSettings
from kg_plugin_api import (
    Caller,
    Carrier,
    Event,
    EventKind,
    EventSpec,
    Harness,
    Limit,
    Maturity,
    PathLimit,
    Queued,
    RawEvent,
    Recognition,
    StartContext,
    StartSource,
    ToolKind,
    ToolUse,
    TranscriptView,
    Unit,
)
from kg_plugin_api import Path as TextPath
from kg_server.interface import ToolCall, ToolReply
from kg_server.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping

    from kg_plugin_api import MemoryChange

KINDS = {
    "Start": EventKind.SESSION_START,
    "Prompt": EventKind.PROMPT,
    "Before": EventKind.BEFORE_TOOL,
    "After": EventKind.AFTER_TOOL,
    "Compacted": EventKind.COMPACT,
    "AgentStart": EventKind.SUBAGENT_START,
    "AgentStop": EventKind.SUBAGENT_STOP,
    "Stop": EventKind.STOP,
    "End": EventKind.SESSION_END,
}


def text(payload: Mapping[str, object], key: str) -> str:
    return str(payload.get(key, ""))


class ScriptedDialect:
    """Payloads are the fields of the neutral event; replies are the text itself; calls name their tool use."""

    def parse(self, raw: RawEvent) -> Event | None:
        payload = raw.payload
        if raw.native not in KINDS or "session" not in payload:
            return None
        if payload.get("boom"):
            raise RuntimeError("a dialect that breaks its promise")
        tool = None
        if payload.get("tool"):
            tool = ToolUse(
                name=text(payload, "tool"),
                kind=ToolKind(text(payload, "tool_kind") or "other"),
                id=text(payload, "tool_use"),
                paths=tuple(str(path) for path in payload.get("paths", ())),
                command=text(payload, "command"),
                workdir=text(payload, "workdir"),
                failed=bool(payload.get("failed")),
            )
        return Event(
            kind=KINDS[raw.native],
            native=raw.native,
            session=text(payload, "session"),
            agent=text(payload, "agent"),
            cwd=text(payload, "cwd"),
            source=StartSource.of(payload.get("source")),
            prompt=text(payload, "prompt"),
            machine=bool(payload.get("machine")),
            tool=tool,
            transcript=text(payload, "transcript"),
        )

    def reply(self, raw: RawEvent, text: str) -> str:
        del raw
        return text

    def refuse(self, raw: RawEvent, reason: str) -> str:
        del raw
        return f"REFUSED {reason}"

    def caller(self, meta: Mapping[str, object]) -> Caller:
        return Caller(session=text(meta, "session"), agent=text(meta, "agent"), tool_use=text(meta, "tool_use"))


class ScriptedTranscript:
    """A line that begins with ``ask`` is a prompt, named by itself; one that begins with ``cut`` is a compaction."""

    tail_bytes = 2_000

    def view(self, tail: bytes, fresh: bytes) -> TranscriptView:
        if b"boom" in tail:
            raise RuntimeError("a reader that breaks its promise")
        asked = [line for line in tail.decode().splitlines() if line.startswith("ask ")]
        compacted = any(line.startswith(b"cut") for line in fresh.splitlines())
        if not asked:
            return TranscriptView(compacted=compacted)
        return TranscriptView(prompt=asked[-1].split(" ", 2)[2], prompt_key=asked[-1], compacted=compacted)


class NoWiring:
    def claims(self, site: object) -> tuple[()]:
        del site
        return ()

    steps = offers = claims


def spec(native: str, *, injects: bool = True) -> EventSpec:
    carrier = Carrier.HOOK_CLIENT if native == "Start" else Carrier.MCP_HOOK
    return EventSpec(native=native, kind=KINDS[native], carrier=carrier, timeout=3, injects=injects)


HOOKED = Harness(
    name="hooked",
    title="An agent with hooks",
    maturity=Maturity.EXPERIMENTAL,
    recognition=Recognition(binaries=("hooked",)),
    events=(
        spec("Start"),
        spec("Prompt"),
        spec("Before", injects=False),
        spec("After"),
        spec("Compacted", injects=False),
        spec("AgentStart"),
        spec("AgentStop", injects=False),
        spec("Stop"),
        spec("End", injects=False),
    ),
    start_context=StartContext.PERSISTS,
    limits=(
        PathLimit(path=TextPath.PRELOAD, limit=Limit(9_500, Unit.UTF16)),
        PathLimit(path=TextPath.EVENT, limit=Limit(9_500, Unit.UTF16)),
        PathLimit(path=TextPath.READ, limit=Limit(4_000, Unit.BYTES)),
    ),
    dialect=ScriptedDialect(),
    wiring=NoWiring(),
    tool_prefix="mcp__kg__",
    refuser=ScriptedDialect(),
)
NARROW = replace(
    HOOKED,
    name="narrow",
    refuser=None,
    start_context=StartContext.REPLACED,
    limits=tuple(PathLimit(path=path, limit=Limit(2_000, Unit.BYTES)) for path in TextPath),
)

PARTED = replace(
    HOOKED,
    name="parted",
    events=tuple(replace(each, parts=4) if each.native == "Start" else each for each in HOOKED.events),
)
"""A client that limits the text of each hook, and not that of all together."""

QUEUED = replace(
    HOOKED,
    name="queued",
    events=(
        replace(spec("Start", injects=False), delivered_by="Prompt"),
        spec("Prompt"),
        spec("Before", injects=False),
        replace(spec("After", injects=False), delivered_by="Prompt"),
        replace(spec("Compacted", injects=False), delivered_by="Prompt"),
    ),
    limits=(PathLimit(path=TextPath.PRELOAD, limit=Limit(10_000, Unit.BYTES)),),
    delivery=Queued(packet=Limit(8_000, Unit.BYTES), inline=Limit(3_500, Unit.BYTES)),
)

WRITTEN = replace(QUEUED, name="written", transcripts=ScriptedTranscript())
"""A client that tells prompts and compactions in its transcript alone."""


class Clock:
    """A time that tests move."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        self.now += 1
        return self.now

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds


@dataclass
class World:
    """One machine: a memory, a clock, folders, and agents."""

    root: Path
    clock: Clock
    service: Service
    changes: list[MemoryChange]
    plugins: Plugins
    step: int = 5_000
    """Milliseconds between two events."""
    seen: list[Event] = field(default_factory=list)
    """The events that observers were told of."""

    def folder(self, name: str) -> str:
        """A folder of a repository of this name."""
        folder = self.root / name
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        return str(folder)

    def agent(self, session: str, *, cwd: str = "shop", harness: str = "hooked", agent: str = "") -> Agent:
        return Agent(self, session, harness, self.folder(cwd) if cwd else "", agent)

    async def restart(self, *, hold: bool = False, whole: bool = False, off: tuple[str, ...] = ()) -> None:
        await self.service.close()
        projects = ProjectSettings(off=off)
        settings = Settings(projects=projects, rules=RuleSettings(hold=hold), preload=PreloadSettings(whole=whole))
        self.service = await opened(self.root, self.clock, self.plugins, settings)


@dataclass
class Agent:
    """One model with its harness; what it is shown arrives unless a test says otherwise."""

    world: World
    session: str
    harness: str
    cwd: str
    agent: str = ""
    arrives: bool = True
    calls: int = 0
    shown: list[str] = field(default_factory=list)

    async def event(self, native: str, **fields: object) -> str:
        carrier = Carrier.HOOK_CLIENT if native == "Start" else Carrier.MCP_HOOK
        payload = {"session": self.session, "agent": self.agent, "cwd": self.cwd, **fields}
        self.world.clock.advance(self.world.step)
        reply = await self.world.service.event(self.harness, RawEvent(native=native, carrier=carrier, payload=payload))
        self._settle(reply.delivery)
        return reply.output

    async def part(self, number: int, source: str = "startup") -> str:
        """What a further hook of a start fetches, beside the first one."""
        payload = {"session": self.session, "agent": self.agent, "cwd": self.cwd, "source": source}
        raw = RawEvent(native="Start", carrier=Carrier.HOOK_CLIENT, payload=payload, part=number)
        reply = await self.world.service.event(self.harness, raw)
        self._settle(reply.delivery)
        return reply.output

    async def start(self, source: str = "startup") -> str:
        return await self.event("Start", source=source)

    async def prompt(self, prompt: str, **fields: object) -> str:
        return await self.event("Prompt", prompt=prompt, **fields)

    async def after_tool(self) -> str:
        self.calls += 1
        return await self.event("After", tool="Read", tool_kind="read", tool_use=f"{self.session}-{self.calls}")

    async def reply(self, tool: str, **arguments: Any) -> ToolReply:
        """A call as this client makes it: told of by a hook before, and known by the id of the tool use."""
        self.calls += 1
        use = f"{self.session}-{self.agent}-{self.calls}"
        await self.event("Before", tool=tool, tool_kind="own", tool_use=use)
        sent = {"from" if name == "from_" else name: value for name, value in arguments.items()}
        call = ToolCall(name=tool, arguments=sent, meta={"tool_use": use}, harness=self.harness, session_hint="shim-1")
        reply = await self.world.service.call(call)
        self._settle(reply.delivery)
        return reply

    async def call(self, tool: str, **arguments: Any) -> str:
        """The text of a call that must not fail."""
        reply = await self.reply(tool, **arguments)
        assert not reply.is_error, reply.text
        return reply.text

    async def refused(self, tool: str, **arguments: Any) -> str:
        """The text of a call that must fail."""
        reply = await self.reply(tool, **arguments)
        assert reply.is_error, reply.text
        return reply.text

    async def put(self, node_id: str, gist: str, level: str = "project", **more: Any) -> str:
        return await self.call("kg_put_node", level=level, id=node_id, gist=gist, **more)

    def _settle(self, delivery: str) -> None:
        if delivery:
            self.world.service.acknowledge(delivery, self.arrives)


async def opened(root: Path, clock: Clock, plugins: Plugins, settings: Settings | None = None) -> Service:
    home = Home(root / ".kg")
    return await Service.open(home, clock=clock, plugins=plugins, settings=settings or Settings(), version="1.2.3")


@pytest.fixture
def live() -> Iterator[Callable[[Callable[[World], Coroutine[None, None, None]]], None]]:
    """Runs a scenario in a world of its own."""
    roots: list[Path] = []

    def run(scenario: Callable[[World], Coroutine[None, None, None]]) -> None:
        root = Path.home() / f"world-{uuid.uuid4().hex[:8]}"
        root.mkdir(parents=True)
        roots.append(root)

        async def main() -> None:
            changes: list[MemoryChange] = []
            seen: list[Event] = []
            plugins = Plugins.of(
                harnesses=[HOOKED, NARROW, PARTED, QUEUED, WRITTEN],
                observers=[changes.append],
                event_observers=[seen.append],
            )
            clock = Clock()
            world = World(root, clock, await opened(root, clock, plugins), changes, plugins, seen=seen)
            try:
                await scenario(world)
            finally:
                await world.service.close()

        asyncio.run(main())

    yield run
    for root in roots:
        shutil.rmtree(root, ignore_errors=True)
