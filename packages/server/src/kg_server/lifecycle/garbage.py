"""Garbage collections that stay short, however large the memory is."""

from __future__ import annotations

import asyncio
import gc
import selectors
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from selectors import SelectorKey

_OLDEST: Final = 2
_NEVER: Final = 1 << 30
_THRESHOLDS: Final = (700, 2, _NEVER)
_WHOLE_NEXT: Final = (700, 2, 0)
_MANY: Final = 4_000
"""Objects that have grown old: a whole collection follows, which takes a few milliseconds to look through them."""
_SPELL: Final = 0.004
"""Seconds that the loop's thread may work before it looks through what is new."""


def keep_short() -> None:
    """From now on every object is looked at by one whole collection at most: what survives it is let be.

    The memory's values are immutable and without cycles, so they are freed by their counts, and looking through them
    again and again finds nothing and stops the loop for as long as it takes (150 ms for 10,000 nodes). What is lost is
    a cycle that was in use during a whole collection and let go of later: in a server, a connection now and then. So a
    whole collection comes when many objects have grown old, and not after so many younger ones.
    """
    if _collected not in gc.callbacks:
        gc.callbacks.append(_collected)
    gc.set_threshold(*_THRESHOLDS)


def new_loop() -> asyncio.AbstractEventLoop:
    """An event loop that collects garbage between its turns too.

    The interpreter counts new objects less those let go of, so it never collects while each takes the place of an old
    one, as during an edit of every node; and then looks through a hundred thousand at once.
    """
    return asyncio.SelectorEventLoop(_Turns())


class _Turns(selectors.DefaultSelector):
    """Is asked for what is ready once in every turn of the loop."""

    def __init__(self) -> None:
        super().__init__()
        self._worked = time.thread_time()

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """What is ready, after a look through what is new if enough has been done since the last one."""
        if time.thread_time() - self._worked >= _SPELL:
            gc.collect(_OLDEST if _are_many_old() else _OLDEST - 1)
            self._worked = time.thread_time()
        return super().select(timeout)


def _collected(phase: str, info: dict[str, int]) -> None:
    if phase != "stop":
        return
    if info["generation"] == _OLDEST:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
    elif info["generation"] == _OLDEST - 1 and _are_many_old():
        gc.set_threshold(*_WHOLE_NEXT)


def _are_many_old() -> bool:
    return len(gc.get_objects(generation=_OLDEST)) > _MANY
