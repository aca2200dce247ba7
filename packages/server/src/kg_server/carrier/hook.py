"""The hook client: one process per event, for what MCP-tool hooks cannot serve."""

from __future__ import annotations

import os
import select
import sys
import time

from kg_server.carrier import jsontext
from kg_server.carrier.ack import acknowledge
from kg_server.carrier.answers import Answers
from kg_server.carrier.event import EVENT_SECONDS
from kg_server.carrier.event import carry as carry_event
from kg_server.carrier.places import Places
from kg_server.carrier.wire import LARGEST_REQUEST, Wire

_READ_SECONDS = 2.0
_QUIET_SECONDS = 0.05
"""If no more comes for so long, it is looked whether the payload is whole."""
_CHUNK = 256 * 1024


def carry(home: str, harness: str, event: str, *, starts_session: bool, part: int = 1) -> None:
    """Reads a payload from standard input, prints the reply, and acknowledges it once it is printed."""
    payload = _payload(time.monotonic() + _READ_SECONDS)
    places = Places(home)
    if not payload.startswith(b"{"):
        _printed(Answers.load(places, harness).empty(event))
        return
    wire = Wire(places.server)
    body = b'{"carrier":"hook_client","part":%d,"payload":' % part + payload + b"}"
    now = time.monotonic()
    came = carry_event(places, wire, harness, event, body, now, starts_session=starts_session, part=part)
    arrived = _printed(came.output)
    if came.delivery:
        acknowledge(wire, came.delivery, time.monotonic() + EVENT_SECONDS, arrived=arrived)


def _payload(deadline: float) -> bytes:
    """Standard input to its end; nothing when it is too large to be carried or does not end in time.

    A client that sends a whole payload and keeps its pipe open is not waited for. What is too large is still read, so
    that the client never writes into a closed pipe.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        if sys.platform != "win32":  # there, pipes cannot be waited for
            left = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([0], [], [], min(left, _QUIET_SECONDS) if parts else left)
            if not ready:
                if size <= LARGEST_REQUEST and _is_whole(parts):
                    return b"".join(parts).strip()
                if time.monotonic() < deadline:
                    continue
                return b""
        chunk = os.read(0, _CHUNK)
        if not chunk:
            return b"".join(parts).strip() if size <= LARGEST_REQUEST else b""
        size += len(chunk)
        if size <= LARGEST_REQUEST:
            parts.append(chunk)


def _is_whole(parts: list[bytes]) -> bool:
    """Whether what has come so far is a whole JSON value."""
    try:
        jsontext.loads(b"".join(parts))
    except (ValueError, RecursionError):
        return False
    return True


def _printed(output: str) -> bool:
    """Whether all of ``output`` could be written to standard output."""
    rest = output.encode("utf-8", "replace")
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except OSError:
        return False
    return True
