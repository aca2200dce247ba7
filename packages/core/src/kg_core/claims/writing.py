"""Carrying a plan out: the intent first, then file by file, then the record of what is done."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kg_core.claims.digests import digest
from kg_core.claims.files import Changed
from kg_core.claims.record import Intent, Record, dump
from kg_core.claims.recovery import settle
from kg_core.claims.report import Failure

if TYPE_CHECKING:
    from pathlib import Path

    from kg_core.claims.files import Files
    from kg_core.claims.report import FileChange, Plan


@dataclass(slots=True)
class Run:
    """One run of ``apply``, over however many attempts: where its backups go and what it has done.

    ``made`` are the files that were made lately: none of them has an original.
    """

    files: Files
    record: Path
    backups: Path
    made: set[Path] = field(default_factory=set)
    done: list[Path] = field(default_factory=list)
    failed: Failure | None = None
    open: list[Path] = field(default_factory=list)
    _saved: set[Path] = field(default_factory=set)
    _folder: Path | None = None

    @property
    def backup(self) -> Path | None:
        """The folder with the originals, None when there were none."""
        return self._folder

    def write(self, plan: Plan) -> None:
        """Writes what the plan says. Raises Changed when a file changed since; then plan again and call this again.

        An OSError ends the run: ``failed`` says where, ``open`` what was not tried, and the record holds what is done.
        """
        self._check_unchanged(plan)
        at = self.record
        written: set[str] = set()
        try:
            self._make_folders(self.record.parent)
            self._store(_with_intent(plan))
            for folder in plan.made:
                at = folder
                self.files.make_folder(folder)
            for change in plan.changes:
                at = change.target
                self._change(change)
                written.add(str(change.path))
            for folder in plan.emptied:
                self.files.remove_folder(folder)
            at = self.record
            self._store(plan.new)
        except OSError as error:
            with contextlib.suppress(OSError):  # the intent on disk says the same, only less plainly
                self._store(settle(_with_intent(plan), self.files))
            self.failed = Failure(path=at, sentence=f"{at} cannot be written: {error.strerror or error}.")
            self.open = [change.path for change in plan.changes if str(change.path) not in written]

    def _check_unchanged(self, plan: Plan) -> None:
        for path, before in [(self.record, plan.stored), *((c.target, c.before) for c in plan.changes)]:
            found = self.files.read(path)
            if (None if found is None else found.data) != before:
                raise Changed(str(path))

    def _change(self, change: FileChange) -> None:
        found = self.files.read(change.target)
        if (None if found is None else found.data) != change.before:
            raise Changed(str(change.target))
        if found is None:
            self.made.add(change.target)
        elif change.target not in self.made:
            self._save(change.target, found.data)
        if change.after is not None:
            self.files.replace(change.target, change.after, found, change.mode)
        elif found is not None:
            self.files.remove(change.target, found)
        self.done.append(change.path)

    def _save(self, target: Path, data: bytes) -> None:
        """Keeps the original under its own path below this run's folder, once."""
        if target in self._saved:
            return
        if self._folder is None:
            self._folder = self.backups / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        place = self._folder / target.relative_to(target.anchor)
        self._make_folders(place.parent)
        self.files.replace(place, data, None, None)
        self._saved.add(target)

    def _store(self, record: Record) -> None:
        data, found = dump(record), self.files.read(self.record)
        if data is not None:
            self.files.replace(self.record, data, found, None)
        elif found is not None:
            self.files.remove(self.record, found)

    def _make_folders(self, folder: Path) -> None:
        if not self.files.is_folder(folder):
            self._make_folders(folder.parent)
            self.files.make_folder(folder)


def _with_intent(plan: Plan) -> Record:
    digests = {str(change.path): digest(change.after) for change in plan.changes}
    intent = Intent(files=plan.new.files, folders=plan.new.folders, digests=digests)
    return Record(files=plan.old.files, folders=plan.old.folders, intent=intent)
