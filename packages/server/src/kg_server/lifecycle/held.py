"""Writes down which plug-in does not come back: while the loop waits for it, nothing else of the server can tell."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.host import Plugins

log = logging.getLogger(__name__)

_LONG_SECONDS: Final = 3.0
"""So long no plug-in should take, and no agent waits."""
_LOOK_SECONDS: Final = 1.0


@contextlib.contextmanager
def watched(plugins: Plugins, long: float = _LONG_SECONDS, look: float = _LOOK_SECONDS) -> Iterator[None]:
    """Looks every ``look`` seconds, from a thread of its own, for a plug-in that was asked ``long`` seconds ago."""
    ended = threading.Event()

    def watch() -> None:
        said = ""
        while not ended.wait(look):
            held = plugins.held(long)
            if held and held != said:
                log.error("%s `kill -9 %d` ends the server, which hears nothing gentler now.", held, os.getpid())
            said = held

    threading.Thread(target=watch, name="plug-ins", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
