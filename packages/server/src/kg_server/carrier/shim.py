"""The MCP shim: one line in, one request to the server on a kept connection, one line out."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from functools import partial
from importlib import import_module

from kg_server.carrier import protocol, start
from kg_server.carrier.answers import AnswersFile
from kg_server.carrier.calls import Call, Calls, Forwarder
from kg_server.carrier.places import Places
from kg_server.carrier.turns import Turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHUNK = 64 * 1024
"""More at once would be new memory from the system for each message."""
_TOO_LARGE = "The message is larger than 16 MiB."
_LARGEST_LINE = 16 * 1024 * 1024
_PARENT_SECONDS = 1.0
_LAST_CALLS_SECONDS = 2.0
_LATER = ("subprocess", "kg_server.carrier.late")
"""Modules that a shim needs only once it has lost its server. By then the kg that it was started from may be gone, or
be another one.
"""
_STATIC = {"server/discover": "discover", "initialize": "initialize", "tools/list": "tools"}


def serve(home: str, harness: str) -> None:
    """Serves one client over standard input and output, and ends when the client does.

    The exit code is 1, with a sentence, when the client is there and cannot be answered: nobody is to take that for a
    session which ended well.
    """
    parent = os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the client, which shares our terminal
    out = os.dup(1)
    os.dup2(2, 1)  # whatever else is printed must not mix with the protocol
    shim = Shim(Places(home), harness, _lines(0), out)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    threading.Thread(target=shim.wake, daemon=True).start()
    Turns(shim.next).run()
    shim.finish()
    if shim.unwritable:
        sys.stderr.write(f"Error: Standard output cannot be written ({shim.unwritable}); the client got no answer.\n")
        os._exit(1)
    os._exit(0)


class Shim:
    """Takes the client's messages, answers what is static, and has the rest carried to the server.

    ``unwritable`` is why an answer could not be written although the client is there; empty while all is well.
    """

    def __init__(self, places: Places, harness: str, lines: Iterator[bytes], out: int) -> None:
        self._places = places
        self._harness = harness
        self._lines = lines
        self._out = out
        self.unwritable = ""
        self._writing = threading.Lock()
        self._calls = Calls()
        self._answers = AnswersFile(places, harness)
        self._forwarder = Forwarder(places, harness, self._answers, self.write)

    def wake(self) -> None:
        """Has a server running, of this version, and all code of this process at hand, before it is needed."""
        start.renew(self._places, self._harness)
        start.ensure(self._places, self._harness, time.monotonic() + 10)
        for module in _LATER:
            import_module(module)

    def next(self) -> Callable[[], None] | None:
        """Deals with messages until one needs the server, which is returned to be carried.

        None at their end, or once nothing can be answered.
        """
        while not self.unwritable:
            line = next(self._lines, None)
            if line is None:
                break
            call = self._taken(line)
            if call is not None:
                return partial(self._run, call)
        return None

    def _taken(self, line: bytes) -> Call | None:
        """Deals with one message, unless it is a call for the server."""
        if len(line) > _LARGEST_LINE:
            self.write(protocol.failure(None, protocol.INVALID_REQUEST, _TOO_LARGE))
            return None
        try:
            message = protocol.decoded(line)
        except (ValueError, RecursionError):
            self.write(protocol.failure(None, protocol.PARSE_ERROR, "The line is not JSON."))
            return None
        if isinstance(message, dict) and isinstance(message.get("method"), str):
            return self._message(message, line)
        if isinstance(message, list):
            self.write(protocol.failure(None, protocol.INVALID_REQUEST, protocol.BATCHES))
        elif not isinstance(message, dict) or not ("result" in message or "error" in message):
            self.write(protocol.failure(None, protocol.INVALID_REQUEST, "The line is no JSON-RPC message."))
        return None

    def write(self, message: dict[str, object] | bytes) -> bool:
        """Puts one message on standard output as one line; False when nobody reads any more, or nothing is taken."""
        body = message if isinstance(message, bytes) else protocol.encoded(message)
        rest = body + b"\n"
        with self._writing:
            try:
                while rest:
                    rest = rest[os.write(self._out, rest) :]
            except (ConnectionError, BlockingIOError):
                return False
            except OSError as failure:
                self.unwritable = str(failure.strerror or failure)
                return False
        return True

    def finish(self) -> None:
        """Lets calls in flight end, for a short time: what they write is wanted even when the client is gone."""
        self._calls.drain(time.monotonic() + _LAST_CALLS_SECONDS)

    def _message(self, message: dict[str, object], line: bytes) -> Call | None:
        if "id" not in message:
            if message["method"] == "notifications/cancelled":
                params = message.get("params")
                self._calls.cancel(params.get("requestId") if isinstance(params, dict) else None)
            return None
        if not protocol.is_request_id(message["id"]):
            self.write(protocol.failure(None, protocol.INVALID_REQUEST, "The id of a request is text or a number."))
            return None
        static = self._static(message)
        if static is not None:
            self.write(protocol.answer(message["id"], static))
            return None
        call = Call(message, line)
        self._calls.add(call)
        return call

    def _run(self, call: Call) -> None:
        try:
            self._forwarder.run(call)
        except Exception as failure:  # noqa: BLE001 - thread border: the client must get an answer
            sys.stderr.write(f"kg mcp: {type(failure).__name__}: {failure}\n")
            self.write(protocol.failure(call.id, protocol.INTERNAL_ERROR, "kg mcp failed; its error output says how."))
        finally:
            self._calls.remove(call)

    def _static(self, message: dict[str, object]) -> dict[str, object] | None:
        method = str(message["method"])
        if method == "ping":
            return {}
        if method not in _STATIC:
            return None
        result = self._answers.load().result(_STATIC[method])
        if result is None:
            return None
        if method == "initialize":
            return protocol.negotiated(result, message)
        return protocol.complete(result, cacheable=True) if protocol.stands_alone(message) else result


def _lines(descriptor: int) -> Iterator[bytes]:
    """The lines that come in, without blank ones, until the end of input.

    Of one that is too large only as much is kept as shows that it is: whoever writes without end fills no memory.
    """
    pending = bytearray()
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except OSError:
            return
        if not chunk:
            if pending.strip():
                yield bytes(pending)
            return
        pending += chunk
        if b"\n" not in chunk:
            del pending[_LARGEST_LINE + 1 :]
            continue
        *lines, rest = bytes(pending).split(b"\n")
        pending = bytearray(rest)
        for line in lines:
            if line.strip():
                yield line


def _end_with(parent: int) -> None:
    """Ends this process when its parent has ended, even if somebody else keeps our standard input open."""
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os._exit(0)
