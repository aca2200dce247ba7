"""What the store does by itself: snapshots when it is time, edits from outside, journal segments nobody needs."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from kg_core.model import Change
from kg_core.policy.forgetting import forgotten_steps
from kg_core.store.edits import BY
from kg_core.store.entry import Write
from kg_core.store.failures import write_failure
from kg_core.store.problems import ProblemKind
from kg_core.store.slices import in_turns
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kg_core.model import GraphKey, Millis
    from kg_core.store.commits import Commits
    from kg_core.store.disk import Disk
    from kg_core.store.edits import Edits
    from kg_core.store.held import Held
    from kg_core.store.history import History
    from kg_core.store.journal import Journal
    from kg_core.store.problems import Problems
    from kg_core.store.snapshots import Snapshots

QUIET: Final = 2.0
"""Seconds without a write after which the files are brought up to date."""
LATEST: Final = 30.0
"""Seconds after the first write after which they are, quiet or not."""
BYTES: Final = 256 << 10
"""Bytes of entries after which they are at the next tick."""
_TICK: Final = 0.5
_LOOK: Final = 1.0
_RESTS: Final = 5.0
"""A snapshot is followed by a rest of this many times what it took, so that writing files never is the main work."""


class Upkeep:
    """Keeps files, journal and memory together; ``busy`` is held while files are written or merged."""

    def __init__(
        self,
        disk: Disk,
        journal: Journal,
        history: History,
        problems: Problems,
        graphs: dict[GraphKey, Held],
        commits: Commits,
        edits: Edits,
        snapshots: Snapshots,
        load: Callable[[GraphKey], Awaitable[object]],
        clock: Callable[[], Millis],
    ) -> None:
        self._disk = disk
        self._journal = journal
        self._history = history
        self._problems = problems
        self._graphs = graphs
        self._commits = commits
        self._edits = edits
        self._snapshots = snapshots
        self._load = load
        self._clock = clock
        self._rest_until = 0.0
        self.busy = asyncio.Lock()
        self.watermark: int | None = None
        """The last sequence that every reader has; ``None`` until somebody says so."""
        self.tails = _tails(journal, history)
        """Graphs that are not loaded, with entries that are not in their files: what the files do hold."""

    async def run(self) -> None:
        """Looks after everything, for ever."""
        looked = monotonic()
        failures = 0
        while True:
            await asyncio.sleep(_TICK)
            now = monotonic()
            if now >= looked + _LOOK:
                looked = now
                await self.look()
            if self._is_due(now):
                failures = 0 if await self.snapshot() else failures + 1
                took = monotonic() - now
                rest = min(LATEST, QUIET * 2 ** min(failures, 4)) if failures else _RESTS * took
                self._rest_until = monotonic() + rest

    async def look(self) -> None:
        """Takes over edits from outside. What fails is reported and tried again.

        A journal that was removed, moved or cut is made up for by a snapshot: until then its entries are in memory
        alone.
        """
        if not await self._has_journal() and await self.snapshot():
            with contextlib.suppress(OSError):  # what cannot be removed is told by the next start
                await self._disk.journal(self._journal.clear)
        async with self.busy:
            for held in await self._edits.changed(self._graphs):
                path = self._disk.home.graph(held.key)
                try:
                    await self._edits.take_over(held)
                except KgError as error:
                    self._problems.report(ProblemKind.UNWRITABLE, path, error.sentence)
                else:
                    if not held.is_dirty:
                        self._problems.solved(ProblemKind.UNWRITABLE, path)

    async def snapshot(self) -> bool:
        """Brings all files up to date; whether that worked."""
        self._commits.snapshotted()
        worked = True
        for key in tuple(self.tails):
            try:
                await self._load(key)
            except KgError as error:
                self._problems.report(ProblemKind.UNWRITABLE, self._disk.home.graph(key), error.sentence)
                worked = False
        async with self.busy:
            for held in tuple(self._graphs.values()):
                if held.is_dirty:
                    worked = await self._snapshot(held) and worked
            await self._retire()
        if not worked:
            self._commits.snapshot_failed()
        return worked

    def unsnapshotted(self) -> tuple[GraphKey, ...]:
        """The graphs whose files lag behind the journal."""
        return (*self.tails, *(held.key for held in self._graphs.values() if held.is_dirty))

    async def _snapshot(self, held: Held) -> bool:
        found = await in_turns(forgotten_steps(held.pending, self._clock()))
        expired = [node_id for node_id, stone in found.items() if held.pending.tombstones.get(node_id) is stone]
        if expired:
            change = Change(graph=held.key, tombstones=dict.fromkeys(expired))
            try:
                await self._commits.commit(Write(by=BY, at=self._clock(), changes=(change,), maintenance=True))
            except KgError:
                return False
        self._edits.report(held)
        return await self._snapshots.take(held)

    async def _has_journal(self) -> bool:
        """Whether the journal is whole and ours, as far as can be told."""
        path = self._disk.home.journal
        try:
            return await self._disk.journal(self._journal.check)
        except OSError as error:
            self._problems.report(ProblemKind.UNWRITABLE, path, write_failure(error, path).sentence)
        except KgError as error:
            if error.code is Code.CONFLICT:
                self._problems.report(ProblemKind.UNWRITABLE, path, error.sentence)
        return True

    def _is_due(self, now: float) -> bool:
        if now < self._rest_until:
            return False
        if any(held.must_write and held.is_dirty for held in self._graphs.values()):
            return True
        first, last = self._commits.first_at, self._commits.last_at
        return bool(first) and (now >= last + QUIET or now >= first + LATEST or self._commits.unsnapshotted >= BYTES)

    async def _retire(self) -> None:
        behind = [held.written for held in self._graphs.values() if held.changed > held.written]
        snapshotted = min((*behind, *self.tails.values()), default=self._history.sequence)
        try:
            floor = await self._disk.journal(partial(self._journal.retire, snapshotted, self.watermark, self._clock()))
        except KgError:
            return  # said by whoever looks after the journal
        except OSError as error:
            path = self._disk.home.journal
            sentence = f"Old segments of {path} cannot be removed ({error.strerror}); it is tried again."
            self._problems.report(ProblemKind.ODD, path, sentence)
        else:
            self._problems.solved(ProblemKind.ODD, self._disk.home.journal)
            self._history.forget(floor)


def _tails(journal: Journal, history: History) -> dict[GraphKey, int]:
    written = {key: next((mark.sequence for mark in marks if mark.done), 0) for key, marks in journal.marks.items()}
    tails: dict[GraphKey, int] = {}
    for entry in history.after(0):
        for change in entry.changes:
            if entry.sequence > written.get(change.graph, 0):
                tails.setdefault(change.graph, written.get(change.graph, 0))
    return tails
