"""Group commit: writes queue up while a batch is being synced, and become durable or fail together."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from kg_core.policy.consequences import consequences
from kg_core.store.draft import Draft
from kg_core.store.entry import Entry
from kg_core.store.failures import write_failure
from kg_core.store.lines import SnapshotMark, body, body_of_use
from kg_core.store.problems import ProblemKind
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kg_core.model import Change, Graph, GraphKey, Millis
    from kg_core.store.disk import Disk
    from kg_core.store.entry import Write
    from kg_core.store.held import Held
    from kg_core.store.history import History
    from kg_core.store.journal import Journal
    from kg_core.store.problems import Problems
    from kg_core.store.projects import Projects


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A write on its way: what it makes of each graph it changes, and who waits for it."""

    entry: Entry
    body: bytes
    after: Mapping[GraphKey, Graph]
    future: asyncio.Future[Entry]


class Commits:
    """The pending tail of all graphs and the one task that brings it to the disk."""

    def __init__(
        self,
        disk: Disk,
        journal: Journal,
        graphs: Mapping[GraphKey, Held],
        history: History,
        problems: Problems,
        projects: Projects,
    ) -> None:
        self._disk = disk
        self._journal = journal
        self._graphs = graphs
        self._history = history
        self._problems = problems
        self._projects = projects
        self._waiting: list[_Waiting] = []
        self._next = history.sequence + 1
        self._stopped: KgError | None = None
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._subscribers: list[Callable[[Entry], None]] = []
        self._drafts: list[Draft] = []
        self.unsnapshotted = 0
        """Bytes of entries since the last snapshot."""
        self.failures = 0
        """How often writes on their way were dropped, and what builds on them with them."""
        self.first_at = self.last_at = 0.0
        """When the first write since the last snapshot became durable, and the last one; on the monotonic clock."""

    def subscribe(self, callback: Callable[[Entry], None]) -> None:
        """Calls back for every entry that has become durable, on the loop and in order."""
        self._subscribers.append(callback)

    def draft(self, key: GraphKey) -> Draft:
        """A draft from the pending value of a graph. See :meth:`kg_core.store.Store.draft`."""
        draft = Draft(self._loaded(key).pending, self._drafts.remove)
        self._drafts.append(draft)
        return draft

    def commit_draft(self, draft: Draft, *, by: str, at: Millis) -> asyncio.Future[Entry] | None:
        """Applies a draft that fits in one step. See :meth:`kg_core.store.Store.commit_draft`."""
        if self._stopped is not None:
            raise self._stopped
        self._writable(draft.key)
        if not draft.fits:
            return None
        entry = Entry(sequence=self._next, at=at, by=by, maintenance=True, changes=(draft.change,))
        return self._queue(entry, body_of_use(entry, draft.encoded), {draft.key: draft.applied()})

    def commit(self, write: Write) -> asyncio.Future[Entry]:
        """Applies the write to the pending values now. See :meth:`kg_core.store.Store.commit`."""
        if self._stopped is not None:
            raise self._stopped
        after: dict[GraphKey, Graph] = {}
        before: dict[tuple[GraphKey, str], str | None] = {}
        for change in write.changes:
            held = self._writable(change.graph)
            graph = after.get(change.graph, held.pending)
            for node_id in change.nodes:
                node = graph.nodes.get(node_id)
                before.setdefault((change.graph, node_id), None if node is None else node.version)
            after[change.graph] = graph.apply(change)
        brought = self._brought(write, after)
        for change in brought:
            after[change.graph] = after.get(change.graph, self._graphs[change.graph].pending).apply(change)
        entry = Entry(
            sequence=self._next,
            at=write.at,
            by=write.by,
            maintenance=write.maintenance,
            changes=(*write.changes, *brought),
            before=before,
        )
        return self._queue(entry, body(entry), after)

    def _queue(self, entry: Entry, encoded: bytes, after: Mapping[GraphKey, Graph]) -> asyncio.Future[Entry]:
        waiting = _Waiting(entry, encoded, after, asyncio.get_running_loop().create_future())
        for key, graph in after.items():
            self._graphs[key].pending = graph
        for draft in self._drafts:
            for change in entry.changes:
                if change.graph == draft.key:
                    draft.follow(change)
        self._next += 1
        self._waiting.append(waiting)
        self._idle.clear()
        self._wake.set()
        return waiting.future

    async def settled(self) -> bool:
        """Returns once all that is on its way now is durable (True), or when some of it has failed (False)."""
        if not self._waiting:
            return True
        newest = self._waiting[-1].future
        await asyncio.wait([newest])
        return not newest.cancelled() and newest.exception() is None

    async def drained(self) -> None:
        """Returns once nothing is on its way."""
        await self._idle.wait()

    def snapshotted(self) -> None:
        """Starts counting anew: what is durable now is about to be in the files."""
        self.unsnapshotted = 0
        self.first_at = self.last_at = 0.0

    def snapshot_failed(self) -> None:
        """Some of what is durable is not in the files yet: ask for a snapshot after the usual quiet."""
        self.last_at = monotonic()
        self.first_at = self.first_at or self.last_at

    def stop(self, error: KgError) -> None:
        """Takes no more writes and fails those on their way."""
        self._stopped = error
        self._fail(error)
        self._idle.set()

    async def run(self) -> None:
        """Brings batch after batch to the disk, for ever."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await self._flush(tuple(self._waiting))
            self._idle.set()

    def _brought(self, write: Write, after: Mapping[GraphKey, Graph]) -> tuple[Change, ...]:
        """What the write alters beside what it says, in the loaded graphs that can be written."""
        pending = {key: held.pending for key, held in self._graphs.items() if not held.read_only}
        return consequences(write.changes, pending, {**pending, **after})

    def _loaded(self, key: GraphKey) -> Held:
        held = self._graphs.get(key)
        if held is None:
            raise KgError(Code.INTERNAL, f"The graph {key!r} was not loaded before it was written.", {"graph": key})
        return held

    def _writable(self, key: GraphKey) -> Held:
        held = self._loaded(key)
        if held.read_only:
            path = self._disk.home.graph(key)
            raise KgError(Code.READ_ONLY, f"Not saved: {path} is read-only: {held.read_only}", {"path": str(path)})
        return held

    async def _flush(self, batch: Sequence[_Waiting]) -> None:
        keys = list(dict.fromkeys(key for waiting in batch for key in waiting.after))
        adopted = [
            SnapshotMark(graph=key, sequence=self._history.sequence, content=self._graphs[key].content)
            for key in keys
            if not self._graphs[key].is_marked
        ]
        unsaved = [key for key in keys if self._projects.unsaved(key)]
        at = max(waiting.entry.at for waiting in batch)
        bodies = [waiting.body for waiting in batch]

        def append() -> None:
            for key in unsaved:
                self._projects.save(key)
            self._journal.append(bodies, at, adopted)

        try:
            await self._disk.journal(append)
        except OSError as error:
            self._fail(write_failure(error, self._disk.home.journal))
        except KgError as error:
            self._fail(error)
        else:
            for mark in adopted:
                self._graphs[mark.graph].is_marked = True
            self._advance(batch)

    def _advance(self, batch: Sequence[_Waiting]) -> None:
        del self._waiting[: len(batch)]
        self._problems.solved(ProblemKind.UNWRITABLE, self._disk.home.journal)
        loop = asyncio.get_running_loop()
        self.last_at = monotonic()
        self.first_at = self.first_at or self.last_at
        for waiting in batch:
            entry = waiting.entry
            for key, graph in waiting.after.items():
                self._graphs[key].advance(graph, entry.changes, entry.sequence)
            self._history.add(entry)
            self.unsnapshotted += len(waiting.body)
            for callback in self._subscribers:
                loop.call_soon(callback, entry)
            if not waiting.future.done():
                waiting.future.set_result(entry)

    def _fail(self, error: KgError) -> None:
        """Nothing of the batch is on disk, and what came after it builds on it: all of it is dropped and told so."""
        dropped, self._waiting = self._waiting, []
        self.failures += 1
        for draft in self._drafts:
            draft.void()
        self._next = self._history.sequence + 1
        for waiting in dropped:
            for key in waiting.after:
                self._graphs[key].pending = self._graphs[key].durable
        self._problems.report(ProblemKind.UNWRITABLE, self._disk.home.journal, error.sentence)
        for waiting in dropped:
            if not waiting.future.done():
                # one error each: a traceback grows on the one that is raised
                waiting.future.set_exception(KgError(error.code, error.sentence, error.data))
                waiting.future.exception()  # a writer that went away does not ask for it
