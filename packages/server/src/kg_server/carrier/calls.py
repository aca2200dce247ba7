"""Requests of the client that are on their way to the server."""

from __future__ import annotations

import json
import os
import threading
import time

from kg_server.carrier import outage, protocol, start
from kg_server.carrier.ack import acknowledge
from kg_server.carrier.event import EVENT_SECONDS, carry, quoted
from kg_server.carrier.wire import CONTEXT_HEADER, LARGEST_REQUEST, Missed, Reply, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_server.carrier.answers import AnswersFile
    from kg_server.carrier.places import Places

CALL_SECONDS = 60.0
"""How long a tool call may take once the server has it; at a server that hangs it is given up after about ten."""
START_SECONDS = 10.0
"""How long a tool call waits for a server that has to be started."""
NO_ANSWER_TO_A_WRITE = (
    "The memory server did not answer this call; it may have taken effect all the same. "
    "Read before you repeat it, and tell the user that `kg doctor` says more."
)
"""What the agent is told when the server may have had a call that writes."""
NO_ANSWER = "The memory server did not answer. Go on without it, and tell the user that `kg doctor` says more."
"""What it is told when the server may have had a call that only reads, and no other one answered it."""
NO_SERVER = (
    "The memory server is not running and could not be started. Go on without memory, "
    "and tell the user that `kg doctor` says why."
)
"""What it is told when no server had the call."""
STOPPED = "The memory server was stopped with `kg stop`. Go on without memory; the user can run `kg start`."
"""What it is told while the user wants no server."""
_PART_DIGITS = 3
_SETTLED_SECONDS = 0.05
"""If no cancellation follows a written answer for so long, the client has taken it."""


class Call:
    """One request of the client: when it came in, and whether the client has given it up."""

    def __init__(self, message: dict[str, object], line: bytes) -> None:
        self.message = message
        self.line = line
        self.since = time.monotonic()
        self.id = message["id"]
        self.given_up = threading.Event()


class Calls:
    """The requests in flight, found by their ids; 1 and "1" are two ids."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._by_id: dict[str, Call] = {}

    def add(self, call: Call) -> None:
        """A request came in."""
        with self._changed:
            self._by_id[json.dumps(call.id)] = call

    def remove(self, call: Call) -> None:
        """A request is dealt with."""
        with self._changed:
            if self._by_id.get(json.dumps(call.id)) is call:
                del self._by_id[json.dumps(call.id)]
            self._changed.notify_all()

    def cancel(self, request: object) -> None:
        """The client has given up the request with this id, if it is in flight."""
        with self._changed:
            call = self._by_id.get(json.dumps(request))
        if call is not None:
            call.given_up.set()

    def drain(self, deadline: float) -> None:
        """Waits until nothing is in flight, or until ``deadline`` (of ``time.monotonic``)."""
        with self._changed:
            self._changed.wait_for(lambda: not self._by_id, max(0.0, deadline - time.monotonic()))


class Forwarder:
    """Brings calls to the server over kept connections, one for each that is in flight at the same time.

    The server is told a name of this process and where it was started, so that it knows which calls come from one
    client, and from which project; and of whom the server has told last, as the next one may not know.
    """

    def __init__(
        self,
        places: Places,
        harness: str,
        answers: AnswersFile,
        write: Callable[[dict[str, object] | bytes], bool],
    ) -> None:
        self._places = places
        self._harness = harness
        self._answers = answers
        self._write = write
        self._name = os.urandom(8).hex()
        self._cwd = _working_folder()
        self._context = ""
        self._lock = threading.Lock()
        self._idle: list[Wire] = []

    def run(self, call: Call) -> None:
        """Answers one call, and acknowledges what it delivered once the client has taken the answer."""
        with self._lock:
            wire = self._idle.pop() if self._idle else Wire(self._places.server)
        try:
            event = _event(call.message, self._name)
            message, delivery = self._posted(call, wire) if event is None else self._carried(call, wire, *event)
            arrived = not call.given_up.is_set() and self._write(message)
            if delivery:
                arrived = arrived and not call.given_up.wait(_SETTLED_SECONDS)
                acknowledge(wire, delivery, time.monotonic() + EVENT_SECONDS, arrived=arrived)
        finally:
            with self._lock:
                self._idle.append(wire)

    def _carried(self, call: Call, wire: Wire, event: str, part: int, body: bytes) -> tuple[dict[str, object], str]:
        """An event that a hook sent through the hidden tool."""
        starts = self._answers.load().starts_session(event)
        came = carry(self._places, wire, self._harness, event, body, call.since, starts_session=starts, part=part)
        self._context = came.context or self._context
        result = protocol.text_result(came.output)
        if protocol.stands_alone(call.message):
            result = protocol.complete(result)
        return protocol.answer(call.id, result), came.delivery

    def _posted(self, call: Call, wire: Wire) -> tuple[dict[str, object] | bytes, str]:
        """Any other request, as it came in."""
        if len(call.line) > LARGEST_REQUEST:
            return self._failed(call, "The request is larger than 4 MiB; send less at once."), ""
        headers = {
            "Kg-Harness": quoted(self._harness),
            "Kg-Carrier": "shim",
            "Kg-Shim": self._name,
            "Kg-Cwd": quoted(self._cwd),
            CONTEXT_HEADER: self._context,
        }
        only_reads = self._answers.load().only_reads(call.message)
        try:
            reply = self._replied(call, wire, headers, only_reads=only_reads)
        except Missed as miss:
            return self._failed(call, self._advice(miss, only_reads=only_reads)), ""
        outage.recovered(self._places)
        self._context = reply.headers.get(CONTEXT_HEADER.lower(), "") or self._context
        if not reply.body.startswith(b'{"jsonrpc"'):
            return self._failed(
                call, f"The memory server refused the request (status {reply.status}). Run `kg doctor`."
            ), ""
        return reply.body, reply.headers.get("kg-delivery", "")

    def _replied(self, call: Call, wire: Wire, headers: dict[str, str], *, only_reads: bool) -> Reply:
        """The answer of the server, or of one that takes its place. Raises :class:`Missed`.

        Only a call that reads is made again although the server may have had it, once and while there is time.
        """
        deadline = time.monotonic() + CALL_SECONDS
        try:
            return wire.request("POST", "/mcp", call.line, headers, deadline, watched=True)
        except Missed as miss:
            starting = min(deadline, time.monotonic() + START_SECONDS)
            if (miss.sent and not only_reads) or not start.ensure(self._places, self._harness, starting):
                raise
        return wire.request("POST", "/mcp", call.line, headers, deadline, watched=True)

    def _advice(self, miss: Missed, *, only_reads: bool) -> str:
        if miss.sent and not only_reads:
            return NO_ANSWER_TO_A_WRITE
        if start.stopped(self._places):
            return STOPPED
        return NO_ANSWER if miss.sent else NO_SERVER

    def _failed(self, call: Call, sentence: str) -> dict[str, object]:
        if call.message.get("method") != "tools/call":
            return protocol.failure(call.id, protocol.INTERNAL_ERROR, sentence)
        result = protocol.text_result(sentence, is_error=True)
        return protocol.answer(call.id, protocol.complete(result) if protocol.stands_alone(call.message) else result)


def _working_folder() -> str:
    """Where the client started us, in UTF-8 whatever the locale, as the server names files; nothing when it is gone."""
    try:
        return os.getcwdb().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _event(message: dict[str, object], shim: str) -> tuple[str, int, bytes] | None:
    """The native event of a call of the hidden tool, its part, and the body to post; None for every other request."""
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict):
        return None
    if params.get("name") != protocol.EVENT_TOOL:
        return None
    given = params.get("arguments")
    arguments = given if isinstance(given, dict) else {}
    payload = arguments.get("payload")
    part = str(arguments.get("part", 1))  # some clients make every value a string
    number = max(1, int(part)) if part.isdecimal() and len(part) < _PART_DIGITS else 1
    body = {
        "carrier": "mcp_hook",
        "part": number,
        "payload": payload if isinstance(payload, dict) else {},
        "meta": {**protocol.meta_of(message), "kg/shim": shim},
    }
    return str(arguments.get("event", "")), number, json.dumps(body).encode()
