"""What the server's tests share: a memory that remembers what it was asked, and a harness of a plain dialect."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_core.host import Plugins
from kg_core.store import Home
from kg_plugin_api import (
    Caller,
    Carrier,
    Event,
    EventKind,
    EventSpec,
    Harness,
    Maturity,
    RawEvent,
    Recognition,
    StartContext,
    Unit,
)
from kg_server.interface import EventReply, Preview, ToolCall, ToolReply, ToolSpec
from kg_server.serve import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kg_server.carrier.wire import Endpoint

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is for what a script runs in the background, and for what that starts in turn.
    signal.signal(signal.SIGINT, signal.default_int_handler)

CARRIER = Path(sys.modules["kg_server.carrier.wire"].__file__ or "").with_name("run.py")


class PlainDialect:
    """Replies with the text itself, in brackets so that a test sees who wrapped it."""

    def parse(self, raw: RawEvent) -> Event | None:
        return None

    def reply(self, raw: RawEvent, text: str) -> str:
        return f"[{raw.native}] {text}" if text else ""

    def caller(self, meta: Mapping[str, object]) -> Caller:
        return Caller()


class NoWiring:
    def claims(self, site: object) -> Sequence[object]:
        return ()

    def steps(self, site: object) -> Sequence[object]:
        return ()

    def offers(self, site: object) -> Sequence[object]:
        return ()


def spec(native: str, kind: EventKind, carrier: Carrier = Carrier.MCP_HOOK, *, injects: bool = True) -> EventSpec:
    return EventSpec(native=native, kind=kind, carrier=carrier, timeout=5, injects=injects)


PLAIN = Harness(
    name="plain",
    title="Plain",
    maturity=Maturity.STABLE,
    recognition=Recognition(binaries=("plain-agent",), clients=("plain-client",), config_default=".plain"),
    events=(
        spec("Start", EventKind.SESSION_START, Carrier.HOOK_CLIENT),
        spec("Prompt", EventKind.PROMPT),
        spec("Tool", EventKind.AFTER_TOOL),
        spec("End", EventKind.SESSION_END, injects=False),
    ),
    start_context=StartContext.PERSISTS,
    limits=(),
    dialect=PlainDialect(),
    wiring=NoWiring(),
    tool_prefix="plain__",
    environment_to_strip=("PLAIN_AGENT_",),
)


@dataclass
class FakeMemory:
    """Answers what a test sets, and keeps what it was asked."""

    reply: str = "remembered"
    delivery: str = ""
    context: str = ""
    failure: Exception | None = None
    gate: threading.Event = field(default_factory=threading.Event)
    events: list[tuple[str, RawEvent]] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    acknowledged: list[tuple[str, bool]] = field(default_factory=list)
    closed: int = 0
    port: int = 0
    prepared: int = 0

    def __post_init__(self) -> None:
        self.gate.set()

    async def event(self, harness: str, raw: RawEvent) -> EventReply:
        self.events.append((harness, raw))
        await self._through()
        return EventReply(self.reply, self.delivery, self.context)

    async def call(self, call: ToolCall) -> ToolReply:
        self.calls.append(call)
        await self._through()
        if call.name == "fails":
            return ToolReply("That is wrong; do this instead.", is_error=True)
        return ToolReply(self.reply, delivery=self.delivery, context=self.context)

    async def _through(self) -> None:
        await asyncio.to_thread(self.gate.wait)
        if self.failure is not None:
            raise self.failure

    def acknowledge(self, delivery: str, arrived: bool) -> bool:
        self.acknowledged.append((delivery, arrived))
        return delivery == self.delivery

    def tools(self, harness: str) -> list[ToolSpec]:
        schema = {"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": False}
        meta = {"shown/to": harness} if harness else {}
        return [ToolSpec(name="kg_read", description="Reads.", input_schema=schema, meta=meta)]

    def instructions(self, harness: str) -> str:
        return f"Instructions for {harness or 'anybody'}."

    def health(self) -> dict[str, object]:
        return {"graphs": 0, "problems": []}

    async def preview(self, harness: str, cwd: str) -> Preview:
        text = f"Preload for {harness} in {cwd}"
        return Preview(text, len(text), 9500, Unit.UTF16)

    async def show(self, cwd: str, ids: Sequence[str]) -> dict[str, object]:
        return {"text": f"{cwd} {' '.join(ids)}".strip()}

    async def search(self, cwd: str, query: str, **_: str) -> dict[str, object]:
        return {"text": f"found {query}"}

    async def why(self, cwd: str, node_id: str, level: str) -> dict[str, object]:
        return {"text": f"{node_id} of {cwd} is {level or 'active'}"}

    async def why_recall(self, cwd: str, session: str, most: int) -> dict[str, object]:
        decisions = [] if session == "nobody" else [{"session": session}]
        return {"text": f"{most} of {session or cwd}", "decisions": decisions}

    async def show_map(self, cwd: str, path: str, component: str) -> dict[str, object]:
        return {"text": f"map of {cwd} {path}{component}".strip()}

    async def check_map(self, cwd: str) -> dict[str, object]:
        is_broken = cwd.endswith("broken")
        return {"text": f"checked {cwd}", "ok": not is_broken, "problem": "It is broken." if is_broken else ""}

    async def confirm(self) -> bool:
        return True

    async def prepare(self) -> None:
        self.prepared += 1

    def listening(self, port: int) -> None:
        self.port = port

    async def close(self) -> None:
        self.closed += 1


class Served:
    """A real server around a fake memory, on a thread of this process."""

    def __init__(self, home: Home, memory: FakeMemory, plugins: Plugins) -> None:
        self.home, self.memory, self.plugins = home, memory, plugins
        self.where: Endpoint | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        def ready(where: Endpoint) -> None:
            self.where = where
            self._ready.set()

        asyncio.run(serve(self.home, self.memory, self.plugins, port=0, ready=ready))

    def start(self) -> Served:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def stop(self) -> None:
        from kg_server.client import Client

        if self._thread.is_alive():
            client = Client(self.home)
            client.post("/api/v1/stop", {})
            client.close()
        self._thread.join(10)
        assert not self._thread.is_alive()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    root = tmp_path / "kg home"
    root.mkdir()
    return Home(root)


@pytest.fixture
def memory() -> FakeMemory:
    return FakeMemory()


@pytest.fixture
def plugins() -> Plugins:
    return Plugins.of(harnesses=[PLAIN])


@pytest.fixture
def served(home: Home, memory: FakeMemory, plugins: Plugins) -> Iterator[Served]:
    server = Served(home, memory, plugins).start()
    yield server
    server.stop()


@pytest.fixture
def served_later(home: Home, memory: FakeMemory, plugins: Plugins) -> Iterator[Callable[[], Served]]:
    """Starts the server when a test says so."""
    started: list[Served] = []

    def start() -> Served:
        started.append(Served(home, memory, plugins).start())
        return started[-1]

    yield start
    for server in started:
        server.stop()


class Pipes:
    """A shim with its standard input and output in the hands of a test."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, message: object) -> None:
        assert self.process.stdin is not None
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, object]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, **params: object) -> dict[str, object]:
        self.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        return self.receive()

    def call(self, identity: object, name: str, **arguments: object) -> None:
        params = {"name": name, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params})


@pytest.fixture
def shim(home: Home) -> Iterator[Callable[[], Pipes]]:
    """Starts shims of the plain harness, and ends those that a test left."""
    started: list[subprocess.Popen[bytes]] = []

    def start(cwd: Path | None = None) -> Pipes:
        command = [sys.executable, "-I", "-S", str(CARRIER), "mcp", "--harness", "plain", "--home", str(home.root)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
        )
        started.append(process)
        return Pipes(process)

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        process.wait()


@pytest.fixture
def hook(home: Home) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs the hook client of the plain harness."""

    def run(event: str, payload: bytes = b"{}", *, start: bool = False, **environ: str):
        command = [sys.executable, "-I", "-S", str(CARRIER), "hook", "--harness", "plain", "--home", str(home.root)]
        command += ["--event", event, *(["--start"] if start else [])]
        return subprocess.run(
            command, input=payload, capture_output=True, timeout=30, check=False, env={**os.environ, **environ}
        )

    return run


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Waits for something that another process or thread does."""

    def wait(met: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not met():
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.005)

    return wait


@pytest.fixture
def stop_server(home: Home) -> Iterator[None]:
    """Ends a server process that carriers of this test started."""
    from kg_server.lifecycle.control import Control

    yield
    if Control(home).health() is not None:
        Control(home).stop()
