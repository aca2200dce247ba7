"""Open files and connections of the server process: as many as it may have, and one sentence when they run out."""

from __future__ import annotations

import contextlib
import errno
import logging
import math
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

WANTED: Final = 8_192
"""Descriptors; many systems give a process 1,024 or 256 unless it asks for more."""
TOLD_EVERY: Final = 60.0
"""Seconds between two lines of the log on the same want."""
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

log = logging.getLogger(__name__)


def allow_many() -> None:
    """Lets this process open as many files and connections as it wants, or as many as it may."""
    if sys.platform == "win32":
        return
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if most == resource.RLIM_INFINITY else min(WANTED, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


class Exhaustion:
    """Handles what an event loop cannot raise. A loop that can accept nobody says so for each who waits, again and
    again, each time with a traceback: that would fill the disk with the log, so it is told once a minute.
    """

    def __init__(self) -> None:
        self._told = -math.inf

    def __call__(self, loop: AbstractEventLoop, context: dict[str, Any]) -> None:
        """Tells what has failed, as the loop itself does, but for connections that nobody can accept."""
        failure = context.get("exception")
        if not (isinstance(failure, OSError) and failure.errno in _EXHAUSTED and "socket" in context):
            loop.default_exception_handler(context)
        elif loop.time() - self._told >= TOLD_EVERY:
            self._told = loop.time()
            log.error("No connection can be accepted for now: %s.", failure.strerror)
