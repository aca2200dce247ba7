"""Snapshots: the files brought up to what is durable, without ever holding up a write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from kg_core.store.backups import drop_old_bases, keep_base
from kg_core.store.disk import digest
from kg_core.store.failures import write_failure
from kg_core.store.files import replace_file, temporary
from kg_core.store.lines import SnapshotMark
from kg_core.store.problems import ProblemKind
from kg_core.store.registration import FILE
from kg_core.store.sheet import Sheet
from kg_plugin_api import KgError

if TYPE_CHECKING:
    from kg_core.model import Graph
    from kg_core.store.disk import Disk
    from kg_core.store.edits import Edits
    from kg_core.store.files import Identity
    from kg_core.store.held import Held
    from kg_core.store.history import History
    from kg_core.store.journal import Journal
    from kg_core.store.problems import Problems
    from kg_core.store.projects import Projects

_ATTEMPTS: Final = 3


class _Edited(Exception):
    """Somebody changed the file while its new content was being made."""


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Writes the files of one graph at a time."""

    disk: Disk
    journal: Journal
    history: History
    problems: Problems
    edits: Edits
    projects: Projects

    async def take(self, held: Held) -> bool:
        """Brings the graph's files up to date, edits from outside merged first; whether that worked."""
        path = self.disk.home.graph(held.key)
        try:
            await self.disk.journal(self.journal.check)
            for _ in range(_ATTEMPTS):
                for edited in await self.edits.changed({held.key: held}):
                    await self.edits.take_over(edited)
                if held.key in self.edits.settling:
                    return False  # what is written into it would be lost with the file
                if not held.is_dirty:
                    return True
                try:
                    await self._write(held)
                except _Edited:
                    continue
                self.problems.solved(ProblemKind.UNWRITABLE, path)
                return True
        except OSError as error:
            sentence = write_failure(error, path).sentence
        except KgError as error:
            sentence = error.sentence
        else:
            sentence = f"{path} is being edited."
        self.problems.report(
            ProblemKind.UNWRITABLE, path, f"{sentence} Everything acknowledged is in the journal; it is tried again."
        )
        return False

    async def _write(self, held: Held) -> None:
        sequence, graph = self.history.sequence, replace(held.durable, extra=held.extra)
        sheet = await self._sheet(held, graph)
        content = await sheet.content(graph.extra)
        use = await sheet.use()
        name = await self.disk.run(partial(digest, content))
        await self.disk.run(partial(self._write_use, held, use))
        if name != held.content or held.identity is None:
            await self._replace(held, graph, sequence, name, content)
        await self.disk.journal(partial(self.journal.mark, self._mark(held, sequence, name, done=True)))
        self.problems.solved(ProblemKind.UNWRITABLE, self.disk.home.journal)
        held.base, held.written, held.is_marked, held.must_write = graph, sequence, True, False
        await self.disk.run(partial(drop_old_bases, self.disk.files, self.disk.home, held.key))

    async def _sheet(self, held: Held, graph: Graph) -> Sheet:
        """The encoded records of ``graph``. A sheet that was not finished is not trusted."""
        sheet, held.sheet = held.sheet, None
        touched = held.take_touched()
        if sheet is None:
            sheet = await Sheet.of(graph)
        else:
            await sheet.update(graph, touched)
        held.sheet = sheet
        return sheet

    async def _replace(self, held: Held, graph: Graph, sequence: int, name: str, content: list[bytes]) -> None:
        """The journal names the new content before it takes the old one's place, and once it has."""
        path = self.disk.home.graph(held.key)
        identity = await self.disk.run(partial(self._prepare, held, sequence, name, content))
        await self.disk.journal(partial(self.journal.mark, self._mark(held, sequence, name, done=False)))
        held.underway = (name, graph)
        await self.disk.run(partial(self._put_in_place, held))
        held.content, held.identity, held.underway = name, identity, None
        self.problems.solved(ProblemKind.MISSING, path)

    def _prepare(self, held: Held, sequence: int, name: str, content: list[bytes]) -> Identity:
        files, path = self.disk.files, self.disk.home.graph(held.key)
        files.make_folder(path.parent)
        if held.identity is None and files.identity(path.parent / FILE) is None:
            self.projects.save(held.key)  # the folder was removed: without this, nobody would know whose memory it is
        keep_base(files, self.disk.home, held.key, sequence, name, content)
        return files.write(temporary(files.real(path)), content)

    def _put_in_place(self, held: Held) -> None:
        files = self.disk.files
        path = files.real(self.disk.home.graph(held.key))
        if files.identity(path) != held.identity:
            files.remove(temporary(path))
            raise _Edited
        files.rename(temporary(path), path)
        files.sync_folder(path.parent)

    def _write_use(self, held: Held, use: list[bytes]) -> None:
        path = self.disk.home.use(held.key)
        self.disk.files.make_folder(path.parent)
        replace_file(self.disk.files, path, use)

    def _mark(self, held: Held, sequence: int, content: str, *, done: bool) -> SnapshotMark:
        return SnapshotMark(graph=held.key, sequence=sequence, content=content, done=done)
