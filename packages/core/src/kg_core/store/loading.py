"""A graph brought from the disk into memory: file, backup and journal together say what it holds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from kg_core.model import Change, Graph
from kg_core.store.backups import keep_damaged, read_base
from kg_core.store.disk import digest
from kg_core.store.failures import read_failure
from kg_core.store.held import Held
from kg_core.store.problems import ProblemKind
from kg_core.store.reading import Reading, read_graph, read_uses
from kg_core.store.slices import batches, in_slices

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from kg_core.model import GraphKey, Millis, Use
    from kg_core.model.odd import OddKey
    from kg_core.store.disk import Disk
    from kg_core.store.files import Identity
    from kg_core.store.history import History
    from kg_core.store.lines import SnapshotMark
    from kg_core.store.problems import Problems

_NOT_KEPT: Final = "it is damaged and could not be kept under another name"
_BATCH: Final = 200
STILL: Final = 2.0
"""Seconds for which a file that does not end as ours do must have stayed as it is: a copy over a network comes in
parts, and whoever writes the rest would write it into a file that nobody sees any more."""
_PATIENCE: Final = 10.0
"""Seconds for which a graph is not loaded at most because its file is being written."""
_AGAIN: Final = 0.1
"""Seconds between two looks at such a file."""


@dataclass(frozen=True, slots=True)
class FileState:
    """A content file as it was found: its bytes (``None`` when there is no file), their SHA-256, its identity."""

    data: bytes | None
    content: str
    identity: Identity | None

    @property
    def is_unfinished(self) -> bool:
        """Whether its end may still be missing."""
        return self.data is not None and not self.data.rstrip().endswith(b"}")


@dataclass(frozen=True, slots=True)
class Edit:
    """A file that somebody else has changed, and what it says; ``is_whole`` unless it was damaged."""

    found: FileState
    graph: Graph
    is_whole: bool
    odd: frozenset[OddKey] = frozenset()


@dataclass(frozen=True, slots=True)
class Loading:
    """Loads graphs. Nothing it finds in a file makes it fail."""

    disk: Disk
    history: History
    problems: Problems
    clock: Callable[[], Millis]

    async def find(self, key: GraphKey) -> FileState:
        """The content file as it is now. Raises UNAVAILABLE when it is there and cannot be read."""
        path = self.disk.home.graph(key)

        def read() -> FileState:
            identity = self.disk.files.identity(path)
            if identity is None:
                return FileState(None, "", None)
            data = self.disk.files.read(path)
            return FileState(data, digest((data,)), identity)

        try:
            return await self.disk.run(read)
        except OSError as error:
            raise read_failure(error, path) from error

    async def load(self, key: GraphKey, marks: tuple[SnapshotMark, ...]) -> tuple[Held, Edit | None]:
        """The graph as we left it, and what somebody made of its file since, to be merged into it.

        ``marks`` are the contents that the file may have through us. Raises UNAVAILABLE when a file cannot be read.
        """
        found = await self._finished(key, {mark.content for mark in marks})
        uses = await self._uses(key)
        mark = next((mark for mark in marks if mark.content == found.content), None)
        if mark is not None or not marks:
            held = await self._adopted(found, uses, Graph(key=key), 0 if mark is None else mark.sequence)
            held.is_marked = mark is not None
            # The server stopped before the journal could say that the file took its place: a snapshot says it.
            held.must_write = held.must_write or (mark is not None and not mark.done)
            return held, None
        # The oldest first: what was only about to be the file may never have been what somebody edited. Taken for the
        # base, it would make an undoing of all our later writes out of the edit.
        for mark in marks:
            backup = await self._base(key, mark)
            if backup is not None:
                held = await self._replayed(await _with_use(backup, uses), mark.sequence)
                held.content, held.is_marked = mark.content, True
                return held, await self._edit(held, found)
        held = await self._adopted(found, uses, Graph(key=key), 0)
        theirs = held.base
        held.base = self._unchanged_by_us(theirs)
        if found.data is None:
            self.restored(held)
        return held, Edit(found, theirs, is_whole=False)

    async def _finished(self, key: GraphKey, ours: Collection[str]) -> FileState:
        """The content file, once nobody seems to be writing it, as it would be taken for damaged; or after a while."""
        until = monotonic() + _PATIENCE
        found = await self.find(key)
        while found.is_unfinished and found.content not in ours and self._is_moving(found) and monotonic() < until:
            await asyncio.sleep(_AGAIN)
            found = await self.find(key)
        return found

    def _is_moving(self, found: FileState) -> bool:
        """Whether the file was changed only just now."""
        changed = 0 if found.identity is None else found.identity.modified // 1_000_000
        return 0 <= self.clock() - changed < STILL * 1_000

    async def _edit(self, held: Held, found: FileState) -> Edit | None:
        """What stands in a file that is none of ours; ``None`` when there is nothing to merge."""
        if found.data is None:
            self.restored(held)
            return None
        return await self.read_edit(held, found)

    async def read_edit(self, held: Held, found: FileState) -> Edit | None:
        """What an edited file says, on top of the base where it is damaged; ``None`` when a later version wrote it."""
        reading = await read_graph(held.key, found.data or b"", held.base)
        self._writable(held)
        if reading.is_newer:
            self._newer(held, reading)
            return None
        graph = reading.graph
        if reading.damage:
            await self._set_aside(held, found, reading)
            graph = await _on_top(held.base, graph)
        else:
            self.problems.solved(ProblemKind.DAMAGED, self.disk.home.graph(held.key))
        return Edit(found, replace(graph, use=held.base.use), not reading.damage, reading.odd)

    def restored(self, held: Held) -> None:
        """The file is gone although nobody asked us to forget: it is written again."""
        path = self.disk.home.graph(held.key)
        self._writable(held)
        held.must_write = True
        sentence = f"{path} was gone; its content is restored from the last backup and the journal."
        self.problems.report(ProblemKind.MISSING, path, sentence, graph=held.key)

    async def _adopted(self, found: FileState, uses: Mapping[str, Use], graph: Graph, sequence: int) -> Held:
        """The graph that the file holds, with the journal's entries after ``sequence`` on top."""
        reading = Reading(graph=graph) if found.data is None else await read_graph(graph.key, found.data)
        graph = reading.graph
        if reading.damage:
            backup = await self._backup(graph.key, "")
            graph = graph if backup is None else await _on_top(backup, graph)
        held = await self._replayed(await _with_use(graph, uses), sequence)
        held.content, held.identity = found.content, found.identity
        if reading.is_newer:
            self._newer(held, reading)
            return held
        held.odd.update(reading.odd)
        held.conflicts.update(reading.aside)
        if reading.damage:
            await self._set_aside(held, found, reading)
        return held

    async def _replayed(self, graph: Graph, sequence: int) -> Held:
        held = Held(
            key=graph.key,
            pending=graph,
            durable=graph,
            base=graph,
            content="",
            identity=None,
            written=sequence,
            changed=sequence,
            extra=graph.extra,
        )
        async for entry in in_slices(self.history.after(sequence)):
            for change in entry.changes:
                if change.graph == held.key:
                    held.durable = await _after(held.durable, change)
                    held.look(change)
                    held.changed = entry.sequence
        held.pending = held.durable
        return held

    def _unchanged_by_us(self, theirs: Graph) -> Graph:
        """The base of a file whose backup is lost: others changed what the journal knows otherwise."""
        seen: dict[str, str | None] = {}
        for entry in self.history.after(0):
            for (key, node_id), version in entry.before.items():
                if key == theirs.key:
                    seen.setdefault(node_id, version)
        changed = [
            node_id
            for node_id, version in seen.items()
            if node_id in theirs.nodes and theirs.nodes[node_id].version != version
        ]
        return theirs.apply(Change(graph=theirs.key, nodes=dict.fromkeys(changed)))

    async def _base(self, key: GraphKey, mark: SnapshotMark) -> Graph | None:
        """What the file held, or was about to hold, when the journal named its content."""
        return await self._backup(key, mark.content) if mark.content else Graph(key=key)

    async def _backup(self, key: GraphKey, content: str) -> Graph | None:
        def read() -> bytes | None:
            data = read_base(self.disk.files, self.disk.home, key, content)
            return data if data is None or not content or digest((data,)) == content else None

        data = await self.disk.run(read)
        return None if data is None else (await read_graph(key, data)).graph

    async def _uses(self, key: GraphKey) -> Mapping[str, Use]:
        path = self.disk.home.use(key)
        try:
            data = await self.disk.run(lambda: self.disk.files.read(path))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise read_failure(error, path) from error
        uses, damage = await read_uses(data)
        if damage:
            sentence = f"{path}: {damage}. What could be read of it is used."
            self.problems.report(ProblemKind.DAMAGED, path, sentence, graph=key)
        return uses

    def _writable(self, held: Held) -> None:
        """What kept the file from being written is not in it any more."""
        held.read_only = ""
        self.problems.solved(ProblemKind.NEWER, self.disk.home.graph(held.key))

    def _newer(self, held: Held, reading: Reading) -> None:
        path = self.disk.home.graph(held.key)
        held.read_only = f"it has format {reading.format}, written by a later version of kg"
        self.problems.report(ProblemKind.NEWER, path, f"{path} is only read: {held.read_only}.", graph=held.key)

    async def _set_aside(self, held: Held, found: FileState, reading: Reading) -> None:
        """Keeps the damaged file byte for byte under another name, before anything takes its place."""
        path = self.disk.home.graph(held.key)
        data = found.data or b""
        try:
            kept = await self.disk.run(lambda: keep_damaged(self.disk.files, path, data, self.clock()))
        except OSError as error:
            held.read_only = _NOT_KEPT
            sentence = f"{path}: {reading.damage}; {_NOT_KEPT} ({error})."
            self.problems.report(ProblemKind.DAMAGED, path, sentence, graph=held.key)
            return
        held.must_write = True
        self.problems.report(
            ProblemKind.DAMAGED,
            path,
            f"{path}: {reading.damage}. It is kept as {kept.name}; what could be saved is served. "
            f"Copy what you miss back into {path.name}; if that is nothing, `kg restart` ends this message.",
            graph=held.key,
        )


async def _after(graph: Graph, change: Change) -> Graph:
    """``graph`` with a change that may be large made: the use of many nodes is what makes one so."""
    if len(change.use) <= _BATCH:
        return graph.apply(change)
    return await _applied(graph.apply(replace(change, use={})), "use", change.use)


async def _with_use(graph: Graph, uses: Mapping[str, Use]) -> Graph:
    return await _applied(graph, "use", uses)


async def _on_top(base: Graph, salvaged: Graph) -> Graph:
    """The base with what could be read of a damaged file on top: what could not be read is not gone."""
    for name in ("nodes", "edges", "tombstones", "progress"):
        base = await _applied(base, name, getattr(salvaged, name))
    return replace(base, extra=base.extra.update(salvaged.extra))


async def _applied(graph: Graph, name: str, values: Mapping[Any, Any]) -> Graph:
    async for batch in in_slices(batches(values.items(), _BATCH)):
        graph = graph.apply(Change(graph=graph.key, **{name: dict(batch)}))
    return graph
