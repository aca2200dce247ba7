"""Edits from outside: a person, an editor or git changed a file of ours while we hold its graph."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from kg_core.model.merge import dated, merge_extra, merge_part
from kg_core.policy.activity import worked_on
from kg_core.store.backups import keep_base
from kg_core.store.entry import Write
from kg_core.store.lines import SnapshotMark
from kg_core.store.loading import STILL
from kg_core.store.problems import ProblemKind
from kg_core.store.reading import parts
from kg_core.store.slices import in_slices
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from kg_core.model import GraphKey, Millis
    from kg_core.store.commits import Commits
    from kg_core.store.disk import Disk
    from kg_core.store.entry import Entry
    from kg_core.store.files import Identity
    from kg_core.store.held import Held
    from kg_core.store.journal import Journal
    from kg_core.store.loading import Edit, FileState, Loading
    from kg_core.store.problems import Problems

_TOLD: Final = 5
BY: Final = "edit"
"""Who wrote an entry that takes over an edit of a file, or that lets go of what has expired."""


@dataclass(frozen=True, slots=True)
class Edits:
    """Finds edits from outside and merges them in, as writes like any other."""

    disk: Disk
    loading: Loading
    problems: Problems
    clock: Callable[[], Millis]
    commits: Commits
    journal: Journal
    settling: dict[GraphKey, tuple[Identity, float]] = field(default_factory=dict)
    """The graphs whose file somebody seems to be writing, with what it was when, on the clock of the process."""

    async def changed(self, graphs: Mapping[GraphKey, Held]) -> list[Held]:
        """The graphs whose file is no longer the one we know, but for those that are :attr:`settling`. Cheap."""
        helds = list(graphs.values())
        known = [(self.disk.home.graph(held.key), held.identity) for held in helds]
        changed = await self.disk.run(lambda: [(self._is_changed(*each), self._unfinished(*each)) for each in known])
        return [
            held
            for held, (is_changed, unfinished) in zip(helds, changed, strict=True)
            if not self._settles(held.key, unfinished) and is_changed
        ]

    async def take_over(self, held: Held) -> None:
        """Merges what the file says now. Raises KgError when it cannot be read or the merge not be written."""
        found = await self.loading.find(held.key)
        if found.data is None and held.content:
            held.identity = None
            self.loading.restored(held)
        elif held.underway is not None and found.content == held.underway[0]:
            held.content, held.base = held.underway
            held.identity = found.identity
        elif found.content == held.content:
            held.identity = found.identity
            if not held.must_write:  # else it may be the damaged file itself that was saved once more
                self.problems.solved(ProblemKind.DAMAGED, self.disk.home.graph(held.key))
        else:
            edit = await self.loading.read_edit(held, found)
            if edit is None:
                held.content, held.identity = found.content, found.identity
            else:
                await self.merge(held, edit)

    def _is_changed(self, path: Path, known: Identity | None) -> bool:
        """Whether the file is another one. What cannot be told is found out, and said, by whoever reads it."""
        try:
            return self.disk.files.identity(path) != known
        except OSError:
            return True

    def _unfinished(self, path: Path, known: Identity | None) -> Identity | None:
        """What the file is where it is another one whose end may still be missing."""
        try:
            identity = self.disk.files.identity(path)
            if identity in {None, known} or self.disk.files.read(path).rstrip().endswith(b"}"):
                return None
        except OSError:
            return None
        return identity

    def _settles(self, key: GraphKey, unfinished: Identity | None) -> bool:
        """Whether to wait for the end of the file."""
        now = monotonic()
        known, since = self.settling.pop(key, (None, now))
        if unfinished is None:
            return False
        since = since if unfinished == known else now
        if now >= since + STILL:
            return False
        self.settling[key] = (unfinished, since)
        return True

    async def merge(self, held: Held, edit: Edit) -> None:
        """Makes the edit, which grew from ``held.base``, part of our graph. Raises KgError when that cannot be kept.

        What is merged is weighed against writes on their way: an edit of a node that is just being deleted asks for
        nothing. If one of those is lost, so is what it stood for, and the edit is merged anew.
        """
        base, theirs, failures = held.base, edit.graph, self.commits.failures
        written: list[Future[Entry]] = []
        conflicts: list[str] = []
        created = self.clock()
        async for part in in_slices(parts(base, theirs)):
            change, in_conflict = merge_part(base, held.pending, theirs, part)
            conflicts += in_conflict
            if change:
                now = self.clock()
                change = worked_on(dated(change, created), held.pending, now, BY)
                written.append(self.commits.commit(Write(by=BY, at=now, changes=(change,))))
        await asyncio.gather(*written)
        if not await self.commits.settled() or self.commits.failures != failures:
            raise KgError(Code.UNAVAILABLE, f"{self.disk.home.graph(held.key)} was edited while writes failed.")
        held.extra = merge_extra(base.extra, held.extra, theirs.extra)
        held.base, held.content, held.identity = theirs, edit.found.content, edit.found.identity
        held.must_write = True
        held.conflicts.update(conflicts)
        held.odd.update(edit.odd)
        self.report(held)
        if edit.is_whole:
            await self._remember(held, edit.found)

    async def _remember(self, held: Held, found: FileState) -> None:
        """Has the journal name the edited file, and keeps a copy: a later edit is one of this file.

        Together with the entries since the last snapshot, the merge's own among them, it is our graph. A disk that
        takes no copy costs no more than that a later edit, after a crash, may be set aside as a conflict.
        """
        home, data = self.disk.home, found.data or b""
        mark = SnapshotMark(graph=held.key, sequence=held.written, content=found.content)
        with contextlib.suppress(OSError):
            keep = partial(keep_base, self.disk.files, home, held.key, held.written, found.content, (data,))
            await self.disk.run(keep)
            await self.disk.journal(partial(self.journal.mark, mark))

    def report(self, held: Held) -> None:
        """Says what a person has to look after in the file: nodes that wait for a decision, fields without meaning."""
        self._report_conflicts(held)
        self._report_odd(held)

    def follow_conflicts(self, helds: Iterable[Held]) -> None:
        """Says no more of nodes that waited for a decision which a write has taken since. Cheap."""
        for held in helds:
            if held.conflicts:
                self._report_conflicts(held)

    def _report_odd(self, held: Held) -> None:
        path, odd = self.disk.home.graph(held.key), held.oddities()
        if odd:
            self.problems.report(ProblemKind.ODD, path, odd_sentence(path, odd), graph=held.key)
        else:
            self.problems.solved(ProblemKind.ODD, path)

    def _report_conflicts(self, held: Held) -> None:
        path = self.disk.home.graph(held.key)
        names = sorted(held.open_conflicts())
        if not names:
            self.problems.solved(ProblemKind.CONFLICT, path)
            return
        self.problems.report(
            ProblemKind.CONFLICT,
            path,
            f"{path} has two versions of {', '.join(names[:_TOLD])}{_more(names)}: each was changed in two places."
            " Both are kept; the next write of a lesson decides.",
            graph=held.key,
        )


def odd_sentence(path: Path, odd: list[str]) -> str:
    """What is odd in a file, in a sentence that says what to do; of very much no more than a part."""
    return (
        f"{path}: {'; '.join(odd[:_TOLD])}{_more(odd)}. What stands there is kept and not used: correct it in the file."
    )


def _more(told: list[str]) -> str:
    return f"; and {len(told) - _TOLD} more" if len(told) > _TOLD else ""
