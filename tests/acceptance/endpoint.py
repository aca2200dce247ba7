"""What the scripted model endpoints share: the script, the record of requests, and the HTTP server around them."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from .network import Loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of the scripted model; ``namespace`` is the MCP server's, where a client wants it apart."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer of the scripted model. ``tokens`` is the context that it claims to have read."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of what the model was sent: who says it (``user``, ``system``, ``developer``, ``tool`` …) and what."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request for an answer. ``kind`` is ``main``, ``subagent``, ``compaction`` or ``other``."""

    kind: str
    items: tuple[Item, ...]
    tools: tuple[str, ...]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All that the model can read, but for descriptions of tools."""
        return "\n".join(item.text for item in self.items)

    def place(self, text: str) -> int:
        """The number of the first item that holds ``text``."""
        found = [number for number, item in enumerate(self.items) if text in item.text]
        assert found, f"not in the request: {text!r}\n{self.text[-3000:]}"
        return found[0]

    def since(self, earlier: Request) -> str:
        """What this request holds that the earlier one of the same conversation did not."""
        old = set(earlier.items)
        return "\n".join(item.text for item in self.items if item not in old)


Step = Turn | Callable[[Request], Turn]
"""An answer, or what makes one out of the request."""


class Model(Protocol):
    """What one vendor's interface looks like on the wire."""

    def read(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Request | None:
        """The request for an answer, or ``None`` for anything else."""
        ...

    def stream(self, request: Request, turn: Turn) -> bytes:
        """The answer as a stream of events."""
        ...

    def other(self, path: str, body: Mapping[str, Any]) -> Mapping[str, object]:
        """The answer to a request that wants no answer of the model."""
        ...


class Endpoint:
    """A scripted model behind HTTP on 127.0.0.1. Answers in the order of the script, one queue per kind of request."""

    def __init__(self, model: Model, network: Loopback) -> None:
        self.requests: list[Request] = []
        self._script: dict[str, deque[Step]] = {}
        self._lock = threading.Lock()
        endpoint = self

        class Handler(_Handler):
            served = (endpoint, model)

        self._server = network.inside(lambda: ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *main: Step, subagent: Sequence[Step] = ()) -> None:
        """Replaces what is still to be said. Once it is used up, every answer is ``Done.``"""
        with self._lock:
            self._script = {"main": deque(main), "subagent": deque(subagent)}

    def asked(self, kind: str = "main") -> list[Request]:
        """The requests of one kind so far."""
        with self._lock:
            return [request for request in self.requests if request.kind == kind]

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, request: Request) -> Turn:
        """The next scripted answer."""
        with self._lock:
            self.requests.append(request)
            queue = self._script.get(request.kind)
            step: Step = queue.popleft() if queue else Turn(text=_DEFAULTS.get(request.kind, "Done."))
        return step(request) if callable(step) else step


_DEFAULTS = {"compaction": "<summary>They talked, and then went on.</summary>"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: ClassVar[tuple[Endpoint, Model]]

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what matters is in the record."""

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        self._send(json.dumps(self.served[1].other(self.path, {})).encode(), "application/json")

    def do_POST(self) -> None:
        endpoint, model = self.served
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        request = model.read(self.path, {key.lower(): value for key, value in self.headers.items()}, body)
        if request is None:
            self._send(json.dumps(model.other(self.path, body)).encode(), "application/json")
        else:
            self._send(model.stream(request, endpoint.answer(request)), "text/event-stream")

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except ConnectionError:
            self.close_connection = True


def events(*bodies: Mapping[str, object]) -> bytes:
    """A stream of server-sent events, each named by its ``type``."""
    return b"".join(f"event: {body['type']}\ndata: {json.dumps(body)}\n\n".encode() for body in bodies)
