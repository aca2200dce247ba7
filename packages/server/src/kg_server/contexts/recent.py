"""A map that keeps the most recent entries only: what is remembered for a while, whoever asks and however often."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

K = TypeVar("K", bound="Hashable")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most ``capacity`` entries, those that were set last."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def set(self, key: K, value: V) -> None:
        """Remembers; the oldest entry goes when there is no room."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._capacity:
            self._entries.popitem(last=False)

    def get(self, key: K) -> V | None:
        """What is remembered, or ``None``."""
        return self._entries.get(key)
