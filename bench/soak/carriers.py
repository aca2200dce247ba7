"""How an agent's session reaches the server: the carriers that agents have, in this process or as processes."""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from kg_server.carrier.ack import acknowledge
from kg_server.carrier.answers import AnswersFile
from kg_server.carrier.calls import Call, Forwarder
from kg_server.carrier.event import EVENT_SECONDS, carry
from kg_server.carrier.places import Places
from kg_server.carrier.protocol import EVENT_TOOL
from kg_server.carrier.wire import Wire
from kg_server.setup.launch import carrier_script

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kg_core.store import Home


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool call brought."""

    text: str
    is_error: bool


class Carriers(Protocol):
    """One session's way to the server."""

    def event(
        self, native: str, carrier: str, payload: Mapping[str, object], *, starts: bool, arrived: bool | None
    ) -> str:
        """What the client is given for an event. ``arrived`` is what the server is told of it; None: nothing."""
        ...

    def call(self, tool: str, arguments: Mapping[str, object], meta: Mapping[str, object], *, arrived: bool) -> Answer:
        """What the model is given for a tool call; the client has given it up unless it ``arrived``."""
        ...

    def close(self) -> None:
        """The session ends."""
        ...


class Inside:
    """The carriers' own code in this process, over real connections: what a shim and a hook client do."""

    def __init__(self, home: Home, harness: str, cwd: Path) -> None:
        self._harness = harness
        self._places = Places(str(home.root))
        self._wire = Wire(self._places.server)
        self._ids = itertools.count(1)
        self._answer: dict[str, Any] = {}
        with contextlib.chdir(cwd):  # where a client would have started its shim
            self._forwarder = Forwarder(self._places, harness, AnswersFile(self._places, harness), self._take)

    def event(
        self, native: str, carrier: str, payload: Mapping[str, object], *, starts: bool, arrived: bool | None
    ) -> str:
        """See :class:`Carriers`."""
        body = json.dumps({"carrier": carrier, "payload": payload}).encode()
        came = carry(self._places, self._wire, self._harness, native, body, time.monotonic(), starts_session=starts)
        if came.delivery and arrived is not None:
            acknowledge(self._wire, came.delivery, time.monotonic() + EVENT_SECONDS, arrived=arrived)
        return came.output

    def call(self, tool: str, arguments: Mapping[str, object], meta: Mapping[str, object], *, arrived: bool) -> Answer:
        """See :class:`Carriers`."""
        message = _message(next(self._ids), tool, arguments, meta)
        call = Call(message, json.dumps(message).encode())
        self._answer = {}
        self._arrived = arrived
        self._forwarder.run(call)
        return _answer(self._answer)

    def close(self) -> None:
        """See :class:`Carriers`."""
        self._wire.close()

    def _take(self, message: dict[str, object] | bytes) -> bool:
        self._answer = json.loads(message) if isinstance(message, bytes) else message
        return self._arrived


class Outside:
    """A real shim as a process, to which the hooks' hidden tool belongs too; other hooks are processes of their own."""

    def __init__(self, home: Home, harness: str, cwd: Path, python: str) -> None:
        self._command = [python, "-I", "-S", str(carrier_script())]
        self._options = ["--harness", harness, "--home", str(home.root)]
        self._ids = itertools.count(1)
        self._cwd = cwd
        self._process = subprocess.Popen(
            [*self._command, "mcp", *self._options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
        )

    def event(
        self, native: str, carrier: str, payload: Mapping[str, object], *, starts: bool, arrived: bool | None
    ) -> str:
        """See :class:`Carriers`. A process acknowledges by itself, so ``arrived`` only says whether it is given up."""
        if carrier == "mcp_hook":
            return self.call(EVENT_TOOL, {"event": native, "payload": payload}, {}, arrived=bool(arrived)).text
        command = [*self._command, "hook", *self._options, "--event", native, *(["--start"] if starts else [])]
        done = subprocess.run(
            command, input=json.dumps(payload).encode(), capture_output=True, cwd=self._cwd, check=True, timeout=30
        )
        return done.stdout.decode()

    def call(self, tool: str, arguments: Mapping[str, object], meta: Mapping[str, object], *, arrived: bool) -> Answer:
        """See :class:`Carriers`."""
        number = next(self._ids)
        self._send(_message(number, tool, arguments, meta))
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not arrived:
            cancelled = {"requestId": number}
            self._send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
        return _answer(json.loads(line))

    def send_whole(self, line: bytes) -> dict[str, Any]:
        """Writes one line as it is; the answer to it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        """See :class:`Carriers`. Raises TimeoutExpired when the shim does not end with its client."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(15)
        self._process.stdout.close()

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def _message(number: int, tool: str, arguments: Mapping[str, object], meta: Mapping[str, object]) -> dict[str, object]:
    parameters = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": parameters}


def _answer(message: Mapping[str, Any]) -> Answer:
    if "error" in message:
        return Answer(f"JSON-RPC error: {message['error'].get('message')}", is_error=True)
    result = message["result"]
    return Answer("\n".join(part["text"] for part in result["content"]), bool(result.get("isError")))
