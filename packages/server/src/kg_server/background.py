"""Work beside all else: what makes an index, and who waits for one."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable

_SLICE_SECONDS: Final = 0.002
"""How long the work holds the loop at a time."""

_Item = TypeVar("_Item")


class Background:
    """Work that rests as long as it holds the loop, unless somebody waits for it."""

    def __init__(self) -> None:
        self._waiting = 0

    async def through(self, items: Iterable[_Item]) -> AsyncIterator[_Item]:
        """The items; whenever a slice of time is used up, by the consumer too, others have their turn."""
        began = monotonic()
        for item in items:
            yield item
            if monotonic() - began >= _SLICE_SECONDS:
                await asyncio.sleep(0 if self._waiting else _SLICE_SECONDS)
                began = monotonic()

    async def wait(self, pending: Collection[asyncio.Task[None]], patience: float | None) -> None:
        """Waits for tasks that work so, at most ``patience`` seconds. Meanwhile they do not rest."""
        if not pending:
            return
        self._waiting += 1
        try:
            await asyncio.wait(pending, timeout=patience)
        finally:
            self._waiting -= 1
