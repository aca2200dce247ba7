"""Starts the server when it is not there: once for all carriers that notice at the same time."""

from __future__ import annotations

import os
import sys
import time

from kg_server.carrier import jsontext
from kg_server.carrier.answers import Answers
from kg_server.carrier.lock import FileLock
from kg_server.carrier.places import Places, age, remove, touch
from kg_server.carrier.regular import sink
from kg_server.carrier.version import VERSION, newer
from kg_server.carrier.wire import Missed, Wire, endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

_POLL = 0.02
"""Seconds between two looks at first; later a tenth of what was waited, for a hundred carriers may be waiting."""
_ANSWER_WITHIN = 0.25
"""Seconds in which a server that runs answers how it is."""
_BUSY_SECONDS = 2.0
"""The same for one that must be there, as another one ended beside it."""
_STARTING_SECONDS = 5.0
"""For how long after an attempt nobody makes another one."""
_LARGEST_LOG = 4 * 1024 * 1024


def healthy(places: Places, within: float = _ANSWER_WITHIN) -> bool:
    """Whether the server answers ``within`` seconds, with our token, how it is. Whether a process runs says nothing."""
    wire = Wire(places.server)
    try:
        reply = wire.request("GET", "/health", b"", {}, time.monotonic() + within)
        found = jsontext.loads(reply.body)
    except (Missed, ValueError):
        return False
    finally:
        wire.close()
    return reply.status == 200 and isinstance(found, dict) and isinstance(found.get("version"), str)


def stopped(places: Places) -> bool:
    """Whether ``kg stop`` was the last word: no carrier starts a server until a session starts."""
    return os.path.exists(places.stopped)


def ensure(places: Places, harness: str, deadline: float, *, session_start: bool = False) -> bool:
    """A server that answers, before ``deadline``; it is started if need be and allowed.

    After ``kg stop`` only the start of a session starts one. A server that is there but silent keeps its storage
    locked, so one started beside it ends at once and nothing is gained or lost; the silent one may have been busy.
    """
    process: Popen[bytes] | None = None
    since = time.monotonic()
    while True:
        if healthy(places):
            return True
        if process is None:
            try:
                process = spawn_once(places, harness, session_start=session_start)
            except OSError:
                return False
            if process is None and not session_start and stopped(places):
                return False
        elif process.poll() is not None:
            remove(places.starting)
            return healthy(places, min(_BUSY_SECONDS, max(_POLL, deadline - time.monotonic())))
        now = time.monotonic()
        if now + _POLL >= deadline:
            return False
        time.sleep(min(max(_POLL, (now - since) / 10), deadline - now - _POLL))


def spawn_once(places: Places, harness: str, *, session_start: bool = False) -> Popen[bytes] | None:
    """Starts a server without waiting for it, unless one answers, somebody else is at it or ``kg stop`` forbids it.

    Raises OSError where none can be started: nothing can be written here, or no process made.
    """
    if stopped(places) and not session_start:
        return None
    lock = FileLock(places.lock)
    places.prepare()
    if not lock.attempt():
        if lock.failure is not None:
            raise lock.failure
        return None
    try:
        since = age(places.starting, time.time())
        if since is not None and since < _STARTING_SECONDS:
            return None
        if healthy(places):  # one that somebody else started has come up since the caller asked
            return None
        touch(places.starting)
        remove(places.stopped)
        return spawn(places, ["serve"], Answers.load(places, harness).strip())
    finally:
        lock.release()


def wake(places: Places, harness: str) -> None:
    """Has a server started for those who come later, where that can be."""
    try:
        spawn_once(places, harness)
    except OSError:
        return


def renew(places: Places, harness: str) -> None:
    """Has a server that is older than this code replaced by one of this version, once for all who see it so.

    After ``kg stop`` it does nothing, as what is written down there may be of a server that was ended by force.
    """
    running = endpoint(places.server)
    if running is not None and newer(VERSION, running.version) and not stopped(places):
        # The command looks again once it is its turn: of all sessions that open at once, one replaces the server.
        spawn(places, ["start"], Answers.load(places, harness).strip())


def spawn(places: Places, command: list[str], strip: tuple[str, ...] = ()) -> Popen[bytes]:
    """Runs a ``kg`` command of this installation in the background, apart from the agent that caused it.

    It inherits neither the agent's terminal, group and working folder nor variables that begin with one of ``strip``.
    It names files in UTF-8 whatever the locale, as clients do. Raises OSError.
    """
    import subprocess
    import threading

    places.prepare()
    _rotate(places.log)
    unwanted = ("PYTHON", *strip)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    log = sink(places.log)
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-X", "utf8", "-m", "kg_server", *command, "--home", places.home],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=places.home,
            env=environ,
            start_new_session=True,
        )
    finally:
        os.close(log)
    threading.Thread(target=process.wait, daemon=True).start()
    return process


def _rotate(log: str) -> None:
    """Keeps the log and its predecessor at a size that a person can read."""
    try:
        if os.stat(log).st_size > _LARGEST_LOG:
            os.replace(log, log + ".1")
    except OSError:
        return
