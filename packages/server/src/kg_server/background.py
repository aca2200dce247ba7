"""Work beside all else: what makes an index, and who waits for one."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable, Iterator

_SLICE_SECONDS: Final = 0.002
"""How long the work holds the loop at a time."""

_Item = TypeVar("_Item")


class Background:
    """Work that rests as long as it holds the loop, and while others go first, unless somebody waits for it."""

    def __init__(self) -> None:
        self._waiting = 0
        self._ahead = 0
        self._free = asyncio.Event()
        self._free.set()

    async def through(self, items: Iterable[_Item]) -> AsyncIterator[_Item]:
        """The items; whenever a slice of time is used up, by the consumer too, others have their turn."""
        began = monotonic()
        for item in items:
            yield item
            if monotonic() - began >= _SLICE_SECONDS:
                await asyncio.sleep(0 if self._waiting else _SLICE_SECONDS)
                await self._free.wait()
                began = monotonic()

    @contextmanager
    def after(self) -> Iterator[None]:
        """What is done here goes first: it needs nothing of this work, and somebody waits for it."""
        self._ahead += 1
        self._settle()
        try:
            yield
        finally:
            self._ahead -= 1
            self._settle()

    async def wait(self, pending: Collection[asyncio.Task[None]], patience: float | None) -> None:
        """Waits for tasks that work so, at most ``patience`` seconds. Meanwhile they do not rest."""
        if not pending:
            return
        self._waiting += 1
        self._settle()
        try:
            await asyncio.wait(pending, timeout=patience)
        finally:
            self._waiting -= 1
            self._settle()

    def _settle(self) -> None:
        if self._waiting or not self._ahead:
            self._free.set()
        else:
            self._free.clear()
