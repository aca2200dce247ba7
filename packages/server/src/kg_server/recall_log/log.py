"""The recall log on disk: JSON lines that only their owner reads, never more than a bound.

It holds no memory. A line that cannot be written is lost, and stops nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_server.carrier.regular import regular
from kg_server.recall_log.entry import Arrival, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from kg_core.model import Millis
    from kg_core.policy import Decision, Source
    from kg_server.recall_log.entry import Moment

MOST_BYTES: Final = 1024 * 1024
"""What the file holds at most; when it would hold more, the newest half stays."""
_GATHERED_SECONDS: Final = 1.0
"""So long are lines gathered before they are written together."""
_WAITING: Final = 2_000
"""Lines that wait to be written; beyond it the oldest are lost."""

log = logging.getLogger(__name__)


class RecallLog:
    """One file. Events only append to a list; the file is written off the loop."""

    def __init__(self, path: Path, clock: Callable[[], Millis]) -> None:
        self._path = path
        self._clock = clock
        self._waiting: list[Entry] = []
        self._on_their_way: dict[str, tuple[Millis, list[Entry]]] = {}
        self._news = asyncio.Event()
        self._writing = asyncio.Lock()
        self._fails = False

    def note(self, moment: Moment, decisions: Iterable[Decision], arrival: Arrival = Arrival.LOST) -> None:
        """Adds decisions. ``arrival`` is what became of the text of those that were injected."""
        for decision in decisions:
            became = arrival if decision.is_injected else Arrival.NOTHING
            self._waiting.append(Entry(moment=moment, decision=decision, arrival=became))
        del self._waiting[:-_WAITING]
        self._news.set()

    def note_sent(self, moment: Moment, decisions: Sequence[Decision], delivery: str, deadline: Millis) -> None:
        """Adds decisions whose text is on its way: until the delivery is settled, or ``deadline`` is past."""
        sent = [each for each in decisions if each.is_injected]
        self.note(moment, (each for each in decisions if not each.is_injected))
        if sent:
            entries = [Entry(moment=moment, decision=each, arrival=Arrival.SENT) for each in sent]
            self._on_their_way[delivery] = (deadline, entries)

    def settle(self, delivery: str, *, arrived: bool) -> None:
        """Notes what became of a delivery; one that is not waited for is ignored."""
        _, entries = self._on_their_way.pop(delivery, (0, []))
        arrival = Arrival.ARRIVED if arrived else Arrival.LOST
        self._waiting += [replace(entry, arrival=arrival) for entry in entries]

    async def keep(self) -> None:
        """Writes what is noted, until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            await asyncio.sleep(_GATHERED_SECONDS)
            await self.write()
            if self._on_their_way:
                self._news.set()

    async def write(self) -> None:
        """Writes what is settled, off the loop. A failure is logged once until it passes."""
        async with self._writing:
            self._expire()
            entries, self._waiting = self._waiting, []
            if not entries:
                return
            try:
                await asyncio.to_thread(_append, self._path, entries)
                self._fails = False
            except OSError as failure:
                if not self._fails:
                    log.warning("Decisions on recall cannot be written to %s: %s", self._path, failure.strerror)
                self._fails = True

    async def newest(self, accepts: Callable[[Entry], bool], most: int) -> list[Entry]:
        """The newest entries of each source that ``accepts`` takes, newest first, ``most`` of each source."""
        await self.write()
        sent = [entry for _, entries in self._on_their_way.values() for entry in entries]
        return await asyncio.to_thread(_newest, self._path, sent, accepts, most)

    async def close(self) -> None:
        """Writes what is left, also what is still on its way."""
        for _, entries in self._on_their_way.values():
            self._waiting += entries
        self._on_their_way.clear()
        await self.write()

    def _expire(self) -> None:
        now = self._clock()
        late = [delivery for delivery, (deadline, _) in self._on_their_way.items() if deadline < now]
        for delivery in late:
            self.settle(delivery, arrived=False)


def _append(path: Path, entries: Iterable[Entry]) -> None:
    """Adds lines, or begins the file anew with the newest ones when it would grow too large."""
    content = b"".join(entry.line() for entry in entries)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if _is_torn(path):
        content = b"\n" + content
    if _size(path) + len(content) <= MOST_BYTES:
        with open(path, "ab", opener=regular) as file:
            file.write(content)
        return
    kept = (_read(path) + content)[-MOST_BYTES // 2 :]
    aside = path.with_name(path.name + ".tmp")
    with open(aside, "wb", opener=regular) as file:
        file.write(kept[kept.index(b"\n") + 1 :])
    aside.replace(path)


def _newest(path: Path, sent: Iterable[Entry], accepts: Callable[[Entry], bool], most: int) -> list[Entry]:
    written = (entry for line in _read(path).splitlines() if (entry := Entry.of(line)) is not None)
    newest = sorted(filter(accepts, (*written, *sent)), key=lambda entry: -entry.moment.at)
    found: Counter[Source] = Counter()
    chosen = []
    for entry in newest:
        found[entry.decision.source] += 1
        if found[entry.decision.source] <= most:
            chosen.append(entry)
    return chosen


def _read(path: Path) -> bytes:
    """The file, or the end of one that others have made larger; nothing when it cannot be read."""
    try:
        with open(path, "rb", opener=regular) as file:
            file.seek(max(0, _size(path) - MOST_BYTES))
            return file.read(MOST_BYTES)
    except OSError:
        return b""


def _is_torn(path: Path) -> bool:
    """Whether a crash or a full disk left half a line at the end, which must not cost the next one."""
    with contextlib.suppress(FileNotFoundError), open(path, "rb", opener=regular) as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
    return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
