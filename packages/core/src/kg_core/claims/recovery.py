"""After a run that was interrupted: which of its files were written. Reads files, writes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kg_core.claims.digests import digest
from kg_core.claims.lines import split_bom
from kg_core.claims.record import FileRecord, OwnedHold, Record
from kg_core.claims.sheet import Refused, Unparsable
from kg_core.claims.syntax import sheet_for, syntax_of

if TYPE_CHECKING:
    from kg_core.claims.files import Files


def settle(record: Record, files: Files) -> Record:
    """The record of what is on disk: for each file either the old or the intended one.

    A file whose content is the intended one was written. Any other was not, or somebody wrote it since: then it counts
    as written when anything that only the run put there is found in it.
    """
    if record.intent is None:
        return record
    intended = Record(files=record.intent.files)
    settled = {file.path: file for file in record.files}
    for path, wanted in record.intent.digests.items():
        old, new = record.file(path), intended.file(path)
        settled[path] = new if _was_written(Path(path), old, new, wanted, files) else old
    folders = dict.fromkeys([*record.folders, *record.intent.folders])
    return Record(files=tuple(file for file in settled.values() if file.holds), folders=tuple(folders))


def _was_written(path: Path, old: FileRecord, new: FileRecord, wanted: str, files: Files) -> bool:
    try:
        found = files.read(files.resolve(path))
    except OSError:
        return len(new.holds) > len(old.holds)
    data = None if found is None else found.data
    if digest(data) == wanted:
        return True
    added = [hold for hold in new.holds if hold not in old.holds]
    if data is None or not added:
        return False
    if isinstance(added[0], OwnedHold):
        return digest(data) == added[0].sha256
    try:
        sheet = sheet_for(syntax_of(added[0]), path)(split_bom(data.decode("utf-8"))[1])
        return any(sheet.has(hold) for hold in added)
    except (Unparsable, Refused, UnicodeDecodeError):
        return len(new.holds) > len(old.holds)
