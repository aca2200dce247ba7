"""One event on its way to the server, the same for both carriers: deadlines, outages, starting the server."""

from __future__ import annotations

import os
import time

from kg_server.carrier import jsontext, outage, start
from kg_server.carrier.answers import Answers
from kg_server.carrier.wire import CONTEXT_HEADER, LARGEST_REQUEST, Missed, Silent, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kg_server.carrier.places import Places

EVENT_SECONDS = 0.25
"""What an event may cost: with the start of a process and the way back it stays within 300 ms."""
SESSION_START_SECONDS = 2.9
"""What the start of a session may cost while a server starts."""

_QUOTED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~"


class Carried:
    """What came back: the text for the client, and the delivery to acknowledge (empty when there is none).

    ``context`` is whose call comes next, if the server has told.
    """

    __slots__ = ("context", "delivery", "output")

    def __init__(self, output: str, delivery: str = "", context: str = "") -> None:
        self.output = output
        self.delivery = delivery
        self.context = context


def carry(
    places: Places,
    wire: Wire,
    harness: str,
    event: str,
    body: bytes,
    since: float,
    *,
    starts_session: bool,
    part: int = 1,
) -> Carried:
    """Brings an event that came in at ``since`` (of ``time.monotonic``) to the server and its answer back.

    Never raises for a server that is down, hung or strange, and never waits longer than an event may cost. Without an
    answer the output is the client's empty reply: for some clients that is not the same as none.
    """
    if len(body) > LARGEST_REQUEST:
        return _silent(places, harness, event)
    at = time.time() - (time.monotonic() - since)  # now, for the clock may be set before an answer comes
    path = f"/hooks/{quoted(harness)}/{quoted(event)}"
    line = ""
    if starts_session or not outage.skipping(places):
        try:
            came = _answered(places, wire, harness, path, body, since, starts_session=starts_session)
            return _silent(places, harness, event) if came is None else came
        except Missed:
            line = _said(places, harness, event)
    if part == 1 and (starts_session or Answers.load(places, harness).begins_anew(event)):
        from kg_server.carrier import late

        late.keep(places, path, body, at)
    return Carried(line) if line else _silent(places, harness, event)


def _answered(
    places: Places,
    wire: Wire,
    harness: str,
    path: str,
    body: bytes,
    since: float,
    *,
    starts_session: bool,
) -> Carried | None:
    """The answer of a server; None when it refuses the event. Raises Missed when no server took it."""
    if os.path.exists(places.late):
        from kg_server.carrier import late

        late.hand_over(places, wire, since + EVENT_SECONDS / 2)  # the rest is for what came now
    deadline = since + (SESSION_START_SECONDS if starts_session else EVENT_SECONDS)
    try:
        if starts_session:
            # Who says that it is there may take its time: told twice of a start, it would say nothing the second time.
            wire.greet(since + EVENT_SECONDS)
        return _posted(wire, path, body, deadline, places)
    except Missed as miss:
        is_at_work = miss.sent and isinstance(miss, Silent)
        if starts_session and not is_at_work:
            if start.ensure(places, harness, deadline, session_start=True):
                return _posted(wire, path, body, deadline, places)
        elif not isinstance(miss, Silent):
            start.wake(places, harness)
        raise


def _silent(places: Places, harness: str, event: str) -> Carried:
    return Carried(Answers.load(places, harness).empty(event))


def quoted(text: str) -> str:
    """``text`` as one segment of a path. What stands for a byte that is no UTF-8, as in the name of a folder, is it."""
    return "".join(char if char in _QUOTED else "".join(f"%{byte:02X}" for byte in _bytes(char)) for char in text)


def _bytes(char: str) -> bytes:
    try:
        return char.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return b"?"


def _posted(wire: Wire, path: str, body: bytes, deadline: float, places: Places) -> Carried | None:
    reply = wire.request("POST", path, body, {}, deadline)
    outage.recovered(places)
    if reply.status != 200:
        return None
    try:
        found = jsontext.loads(reply.body)
        return Carried(str(found["output"]), str(found["delivery"]), reply.headers.get(CONTEXT_HEADER.lower(), ""))
    except (ValueError, TypeError, KeyError):
        return None


def _said(places: Places, harness: str, event: str) -> str:
    """Notes a miss; the line of the outage if this is the first event that can say it. Silent after ``kg stop``."""
    if start.stopped(places):
        return ""
    outage.missed(places)
    line = Answers.load(places, harness).outage(event)
    return line if line and outage.may_say(places) else ""
