"""Starts and compactions that no server took, kept as files until one does.

A server that never hears of a compaction takes what its model has lost for known, and would show none of it again.
What somebody wrote into such an event (the first prompt, what a summary should keep) is left out: it says nothing of
where the session is, and may hold what must not be on a disk.
"""

from __future__ import annotations

import os
import time

from kg_server.carrier import jsontext
from kg_server.carrier.ack import acknowledge
from kg_server.carrier.lock import FileLock
from kg_server.carrier.places import Places, remove
from kg_server.carrier.regular import regular
from kg_server.carrier.wire import Missed, Wire

LATE = "kg/late"
"""In the ``meta`` of an event that was kept: when it came in, in milliseconds."""
MOST = 32
"""So many are kept, the newest: after days without a server the sessions of the first one are over."""
_LARGEST = 64 * 1024
_WRITTEN = ("content", "instructions", "message", "messages", "prompt", "response", "summary", "text")
"""What the names of fields end with in which a person or a model writes, in all clients."""
_SECONDS = 24 * 3600.0
"""As long as a server knows a session that is silent."""
_WRITING_SECONDS = 10.0
"""After these a file without an event gets none any more: whoever was writing it has been ended."""

_ANSWER_SECONDS = 0.05
"""What is answered at the last moment is still said to be lost, or the server waits for seconds whether it arrived."""


def keep(places: Places, path: str, body: bytes, at: float) -> None:
    """Keeps an event that was for ``path``, for whoever reaches the server next, without what somebody wrote in it.

    It came in at ``at`` (of ``time.time``); a server may have heard of it then, and only its answer got lost. Does
    nothing where that cannot be.
    """
    if len(body) > _LARGEST:
        return
    try:
        body = _unwritten(body, int(at * 1000))
    except (ValueError, RecursionError):
        return
    name = os.path.join(places.late, f"{time.time_ns():020d}-{os.getpid()}")
    try:
        os.makedirs(places.late, mode=0o700, exist_ok=True)
        for old in sorted(os.listdir(places.late))[: 1 - MOST]:
            remove(os.path.join(places.late, old))
        with open(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb") as file:
            file.write(path.encode("ascii") + b"\n" + body)
    except OSError:
        remove(name)


def _unwritten(body: bytes, at: int) -> bytes:
    """The event of ``at`` without the fields that hold free text. Raises ValueError for what is no event."""
    import json

    event = json.loads(body)
    payload = event.get("payload") if isinstance(event, dict) else None
    if not isinstance(payload, dict):
        raise ValueError("it is no event")
    meta = event.get("meta")
    event["meta"] = {**(meta if isinstance(meta, dict) else {}), LATE: at}
    event["payload"] = {name: value for name, value in payload.items() if not name.lower().endswith(_WRITTEN)}
    return json.dumps(event, separators=(",", ":")).encode("ascii")


def hand_over(places: Places, wire: Wire, deadline: float) -> None:
    """Brings what was kept to the server, oldest first, until one fails. What it answers has nowhere to go: the next
    event of that session brings it.
    """
    lock = FileLock(places.late + ".lock")
    if not lock.attempt():  # somebody else is at it
        return
    try:
        for name in sorted(os.listdir(places.late)):
            file = os.path.join(places.late, name)
            if not _handed_over(wire, file, deadline):
                return
            remove(file)
        os.rmdir(places.late)
    except OSError:
        return
    finally:
        lock.release()


def _handed_over(wire: Wire, file: str, deadline: float) -> bool:
    """Whether it need not be kept any longer."""
    try:
        age = time.time() - os.stat(file).st_mtime
        if age > _SECONDS:
            return True
        with open(file, "rb", opener=regular) as kept:
            path, _, body = kept.read().partition(b"\n")
        if not body:
            return age > _WRITING_SECONDS
        reply = wire.request("POST", path.decode("ascii"), body, {}, deadline)
        delivery = jsontext.loads(reply.body)["delivery"] if reply.status == 200 else ""
    except Missed:
        return False
    except (OSError, ValueError, TypeError, KeyError):
        return True
    if delivery:
        acknowledge(wire, str(delivery), deadline + _ANSWER_SECONDS, arrived=False)
    return True
