"""The entries that are still at hand, by sequence."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kg_core.store.entry import Entry


class History:
    """Durable entries in order.

    ``floor`` is the last sequence whose entry may be gone, ``sequence`` the last durable one.
    """

    def __init__(self, entries: Iterable[Entry], floor: int, sequence: int) -> None:
        self._entries = list(entries)
        self.floor = floor
        self.sequence = sequence

    def add(self, entry: Entry) -> None:
        """The next durable entry."""
        self._entries.append(entry)
        self.sequence = entry.sequence

    def forget(self, floor: int) -> None:
        """Lets go of the entries up to ``floor``."""
        if floor > self.floor:
            del self._entries[: self._position(floor)]
            self.floor = floor

    def since(self, sequence: int) -> tuple[Entry, ...] | None:
        """The entries after ``sequence``; ``None`` when some are gone or the sequence is not of this journal."""
        if sequence < self.floor or sequence > self.sequence:
            return None
        return tuple(self._entries[self._position(sequence) :])

    def after(self, sequence: int) -> Iterator[Entry]:
        """All entries at hand after ``sequence``, as of now."""
        return iter(self._entries[self._position(sequence) :])

    def _position(self, sequence: int) -> int:
        return bisect_right(self._entries, sequence, key=lambda entry: entry.sequence)
