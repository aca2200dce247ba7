"""One command at a time changes what kg has put on this machine: of two at once, each undoes what the other does."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError
from kg_server.carrier.lock import FileLock
from kg_server.carrier.places import Places
from kg_server.cli.options import Waiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.store import Home

LOCK: Final = "setup.lock"
"""The name of its file in the state folder."""
_SECONDS: Final = 45.0
_STEP: Final = 0.2


@contextlib.contextmanager
def own_turn(home: Home, *, begins: bool = True) -> Iterator[None]:
    """Holds off every other command that sets up or removes, until the end. Raises UNAVAILABLE when one does not end.

    With ``begins`` the memory's folder is made where there is none; without, there is nobody to hold off there. Where
    nothing can be written, the command goes on: it says what it could not write, and where.
    """
    lock = FileLock(str(home.state / LOCK))
    waiting, begun = Waiting("Waiting for another `kg setup` or `kg uninstall`"), time.monotonic()
    while True:
        is_there = begins and _made(home)
        if lock.acquire(time.monotonic() + _STEP):
            if lock.is_current():
                break
            lock.release()  # its file went with the memory that the other deleted
        elif lock.failure is not None and not (is_there and isinstance(lock.failure, FileNotFoundError)):
            break
        waited = time.monotonic() - begun
        if waited > _SECONDS:
            sentence = f"Another `kg setup` or `kg uninstall` has been at work for {_SECONDS:.0f} s. Let it end first."
            raise KgError(Code.UNAVAILABLE, sentence)
        waiting(waited)
    try:
        yield
    finally:
        lock.release()


def _made(home: Home) -> bool:
    """Whether the memory's folder is there now, so that a lock which cannot be found was just deleted with it."""
    try:
        Places(str(home.root)).prepare()
    except OSError:
        return False
    return True
