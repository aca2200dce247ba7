"""What a search backend has not been told yet: keys, oldest first. What to tell is looked up when it is told."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Backlog:
    """An ordered set of keys that somebody waits for. It holds each key once, so it never outgrows the memory."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}
        self._news = asyncio.Event()

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, keys: Iterable[str]) -> None:
        """These are to be told, again if they were."""
        self._keys.update(dict.fromkeys(keys))
        self.wake()

    def wake(self) -> None:
        """Ends a wait although nothing came."""
        self._news.set()

    async def wait(self, seconds: float) -> None:
        """Returns once something was added, or somebody was woken, since the last wait; after ``seconds`` anyway."""
        # Not asyncio.wait_for: on Python 3.11 it can swallow a cancellation that meets the news.
        news = asyncio.ensure_future(self._news.wait())
        try:
            await asyncio.wait((news,), timeout=seconds)
        finally:
            news.cancel()
        self._news.clear()

    def take(self, most: int) -> list[str]:
        """Removes and returns the oldest; an empty list when there are none."""
        taken = list(islice(self._keys, most))
        for key in taken:
            del self._keys[key]
        return taken

    def clear(self) -> None:
        """Forgets all: what is missing will be found by comparing."""
        self._keys.clear()
