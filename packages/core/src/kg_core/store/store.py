"""The store: graphs in memory, a journal that makes writes durable, and files that people read."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from functools import partial
from time import time_ns
from typing import TYPE_CHECKING, NoReturn, Self

from kg_core.model import DAY
from kg_core.store.aged import Aged
from kg_core.store.commits import Commits
from kg_core.store.disk import Disk
from kg_core.store.edits import Edits
from kg_core.store.failures import read_failure, write_failure
from kg_core.store.files import Files, OsFiles
from kg_core.store.history import History
from kg_core.store.identity import Places
from kg_core.store.journal import Journal
from kg_core.store.loading import Loading
from kg_core.store.lock import Lock
from kg_core.store.maps import Maps
from kg_core.store.opening import first_sequence, prepare, read_journal, remove_strays, report_damage
from kg_core.store.problems import Problem, ProblemKind, Problems
from kg_core.store.projects import Projects
from kg_core.store.recovery import Recovered, recover
from kg_core.store.settings import Settings
from kg_core.store.snapshots import Snapshots
from kg_core.store.upkeep import Upkeep
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.home import Home
    from kg_core.model import Graph, GraphKey, Millis
    from kg_core.store.draft import Draft
    from kg_core.store.entry import Entry, Write
    from kg_core.store.held import Held


def now_ms() -> Millis:
    """The time of this machine's clock."""
    return time_ns() // 1_000_000


class Store:
    """All memory of one home. Open it with :meth:`open`; use it from the loop it was opened on.

    ``projects`` maps folders to projects, ``maps`` knows their components and rules, ``aged`` keeps what has aged;
    ``settings`` are as opened.
    """

    def __init__(
        self,
        disk: Disk,
        lock: Lock | None,
        recovered: Recovered,
        problems: Problems,
        projects: Projects,
        settings: Settings,
        clock: Callable[[], Millis],
        start: int,
    ) -> None:
        self.projects = projects
        self.settings = settings
        self.maps = Maps(disk, projects.places, clock)
        self._disk = disk
        self._lock = lock
        self._problems = problems
        self._graphs: dict[GraphKey, Held] = {}
        self._loads: dict[GraphKey, asyncio.Task[None]] = {}
        self._journal = Journal(
            disk.files,
            disk.home.journal,
            durable=start,
            segments=recovered.segments,
            marks=recovered.marks,
            kept_bytes=settings.journal.mebibytes << 20,
            kept_for=settings.journal.days * DAY,
            is_held=self._refuse if lock is None else lock.confirm,
        )
        self.aged = Aged(disk, self._journal)
        self._history = History(recovered.entries, recovered.floor(start), start)
        self._loading = Loading(disk, self._history, problems, clock)
        self._commits = Commits(disk, self._journal, self._graphs, self._history, problems, projects)
        self._edits = Edits(disk, self._loading, problems, clock, self._commits, self._journal)
        snapshots = Snapshots(disk, self._journal, self._history, problems, self._edits, projects)
        self._upkeep = Upkeep(
            disk,
            self._journal,
            self._history,
            problems,
            self._graphs,
            self._commits,
            self._edits,
            snapshots,
            self.load,
            clock,
        )
        if self._upkeep.tails:
            self._commits.snapshot_failed()
        self._tasks = [asyncio.create_task(self._commits.run()), asyncio.create_task(self._upkeep.run())]
        for task in self._tasks:
            task.add_done_callback(self._stopped)

    @classmethod
    async def open(
        cls,
        home: Home,
        *,
        clock: Callable[[], Millis] = now_ms,
        files: Files | None = None,
        settings: Settings | None = None,
        places: Places | None = None,
    ) -> Self:
        """Opens the memory of a home. Graphs are read when they are first asked for.

        Raises CONFLICT, naming the holder, when another server has it; READ_ONLY when a later version wrote the
        journal; UNAVAILABLE when the journal cannot be read. A home that cannot be written is opened for reading.
        """
        disk, problems, settings = Disk(home, files or OsFiles()), Problems(), settings or Settings()
        projects = Projects(
            home,
            disk.files,
            places or Places.from_environ(os.environ),
            clock,
            match_remotes=settings.projects.match_remotes,
            later=disk.later,
        )
        lock: Lock | None = None
        try:
            await disk.run(partial(prepare, disk.files, home, problems))
            try:
                lock = await disk.run(partial(Lock, disk.files, home))
            except OSError as error:
                problems.report(ProblemKind.UNWRITABLE, home.lock, write_failure(error, home.lock).sentence)
            else:
                await disk.run(partial(remove_strays, disk.files, home))
            recovered = await recover(await disk.run(partial(read_journal, disk.files, home)))
            await disk.run(partial(report_damage, disk.files, recovered, problems, clock()))
            await disk.run(partial(projects.load, problems))
            start = await disk.run(partial(first_sequence, disk.files, home, recovered, clock()))
        except BaseException as error:
            if lock is not None:
                lock.release()
            await disk.close()
            if isinstance(error, OSError):
                raise read_failure(error, home.journal) from error
            raise
        return cls(disk, lock, recovered, problems, projects, settings, clock, start)

    def announce(self, port: int) -> None:
        """Says in the lock file on which port this server answers."""
        if self._lock is not None:
            self._lock.announce(port)

    async def confirm(self) -> bool:
        """Makes sure that no other server can have this memory; False when one has it, or had it and has written."""
        try:
            await self._disk.journal(self._journal.confirm)
        except KgError as error:
            return error.code is not Code.CONFLICT
        except OSError:
            return True  # what cannot be told is found out by the next write
        return True

    async def load(self, key: GraphKey) -> Graph:
        """The durable value of a graph, read from the disk the first time; empty when there is nothing yet.

        Raises INVALID for a key that names no graph, and UNAVAILABLE when a file is there that cannot be read.
        """
        held = self._graphs.get(key)
        if held is None or key in self._loads:
            task = self._loads.get(key)
            if task is None:
                task = self._loads[key] = asyncio.create_task(self._load(key))
                task.add_done_callback(lambda _: self._loads.pop(key, None))
            await asyncio.shield(task)
            held = self._graphs[key]
        return held.durable

    def durable(self, key: GraphKey) -> Graph:
        """What is on the disk of a loaded graph: the value that readers see."""
        return self._loaded(key).durable

    def pending(self, key: GraphKey) -> Graph:
        """The durable value and the writes on their way: the value that writers check against."""
        return self._loaded(key).pending

    def whole(self, key: GraphKey) -> Graph:
        """What is on the disk of a loaded graph, with the unknown keys of its file: all that a copy of it holds."""
        held = self._loaded(key)
        return replace(held.durable, extra=held.extra)

    def commit(self, write: Write) -> asyncio.Future[Entry]:
        """Applies the write to the pending values at once; the future resolves when it is durable.

        Raises READ_ONLY for a graph that cannot be written and INTERNAL for one that was not loaded; then nothing has
        changed. The future fails with a KgError that names the path when the disk does not take it; then this write and
        all that were committed after it are gone from the pending values.
        """
        if self._lock is None or not self._tasks:
            self._refuse()
        return self._commits.commit(write)

    def draft(self, key: GraphKey) -> Draft:
        """Begins a change of the use of many nodes of a loaded graph, from its pending value; its user closes it."""
        return self._commits.draft(key)

    def commit_draft(self, draft: Draft, *, by: str, at: Millis) -> asyncio.Future[Entry] | None:
        """Applies a draft at once, as maintenance, like :meth:`commit`; ``None`` when it does not fit any more."""
        if self._lock is None or not self._tasks:
            self._refuse()
        return self._commits.commit_draft(draft, by=by, at=at)

    async def settled(self) -> bool:
        """Returns once all writes on their way now are durable; False when one of them failed.

        For whoever decided by the pending values that nothing is to be written.
        """
        return await self._commits.settled()

    @property
    def sequence(self) -> int:
        """The sequence of the last durable entry."""
        return self._history.sequence

    def since(self, sequence: int) -> tuple[Entry, ...] | None:
        """The durable entries after ``sequence``; ``None`` when not all are at hand: read again."""
        return self._history.since(sequence)

    def retain(self, sequence: int) -> None:
        """All readers have seen everything up to ``sequence``: what is older may go, once it is in the files."""
        self._upkeep.watermark = sequence

    def subscribe(self, callback: Callable[[Entry], None]) -> None:
        """Calls back for every entry that has become durable, on the loop, in order, before its writer goes on."""
        self._commits.subscribe(callback)

    def unsnapshotted(self) -> tuple[GraphKey, ...]:
        """The graphs whose files lag behind the journal; nothing of them is lost."""
        return self._upkeep.unsnapshotted()

    def settling(self) -> tuple[GraphKey, ...]:
        """The graphs whose file somebody seemed to be writing at the last :meth:`look`."""
        return tuple(self._edits.settling)

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the storage now."""
        self._edits.follow_conflicts(self._graphs.values())
        return self._problems.all()

    def report(self, kind: ProblemKind, path: object, sentence: str, *, graph: GraphKey = "") -> None:
        """Says what is wrong with something that belongs to the memory, until it is :meth:`solved`."""
        self._problems.report(kind, path, sentence, graph=graph)

    def solved(self, kind: ProblemKind, path: object) -> None:
        """There is no such problem any more."""
        self._problems.solved(kind, path)

    async def look(self) -> None:
        """Takes over edits from outside now, instead of within a second."""
        await self._upkeep.look()

    async def snapshot(self) -> bool:
        """Brings all files up to date now; whether that worked. What did not is in :meth:`problems`."""
        await self._commits.drained()
        return await self._upkeep.snapshot()

    async def close(self) -> None:
        """Finishes what is being loaded and written, brings the files up to date, and gives the lock back."""
        if not self._tasks:
            return
        await asyncio.gather(*self._loads.values(), return_exceptions=True)
        await self._commits.drained()
        flusher, upkeep = self._tasks
        await _ended(upkeep)
        if self._lock is not None:
            await self._upkeep.snapshot()
        await self._commits.drained()
        self._tasks = []
        await _ended(flusher)
        await self.maps.close()
        await self._disk.journal(self._journal.close)
        await self._disk.close()
        if self._lock is not None:
            self._lock.release()

    def _refuse(self) -> NoReturn:
        reason = "its lock could not be taken" if self._lock is None else "it is closed"
        raise KgError(
            Code.READ_ONLY,
            f"Not saved: the store is read-only: {self._disk.home.root} ({reason}).",
            {"path": str(self._disk.home.root)},
        )

    def _loaded(self, key: GraphKey) -> Held:
        held = self._graphs.get(key)
        if held is None:
            raise KgError(Code.INTERNAL, f"The graph {key!r} was not loaded before it was used.", {"graph": key})
        return held

    async def _load(self, key: GraphKey) -> None:
        held, edit = await self._loading.load(key, self._journal.marks.get(key, ()))
        async with self._upkeep.busy:
            self._graphs[key] = held
            self._upkeep.tails.pop(key, None)
            if edit is not None:
                try:
                    await self._edits.merge(held, edit)
                except KgError as error:
                    self._problems.report(ProblemKind.UNWRITABLE, self._disk.home.graph(key), error.sentence)
            else:
                self._edits.report(held)

    def _stopped(self, task: asyncio.Task[None]) -> None:
        """A task of the store ended by an error that nobody foresaw: say so, and let no writer wait for ever."""
        if task.cancelled() or task.exception() is None:
            return
        sentence = f"The store stopped working and must be restarted: {task.exception()!r}."
        self._problems.report(ProblemKind.UNWRITABLE, self._disk.home.root, sentence)
        self._commits.stop(KgError(Code.INTERNAL, sentence))


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
