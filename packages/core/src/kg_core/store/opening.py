"""The first steps of a store: folders, strays of a crash, and what the journal still holds. Blocking, and careful."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from kg_core.home import IGNORED, KNOWN_VARIABLES, is_slug
from kg_core.model import MAINTAIN, USER, project_key
from kg_core.store.backups import damaged_suffix
from kg_core.store.failures import write_failure
from kg_core.store.files import TEMPORARY, replace_file
from kg_core.store.journal import segment_paths
from kg_core.store.problems import ProblemKind
from kg_core.store.recovery import keep_damaged

if TYPE_CHECKING:
    from pathlib import Path

    from kg_core.home import Home
    from kg_core.model import Millis
    from kg_core.store.files import Files
    from kg_core.store.problems import Problems
    from kg_core.store.recovery import Recovered


_START: Final = 60
"""Bytes of a line that say what it is."""


def prepare(files: Files, home: Home, problems: Problems) -> None:
    """Makes the folders that are missing. On a disk that cannot be written, reading goes on."""
    try:
        for folder in (home.root, home.memory, home.journal, home.state):
            files.make_folder(folder)
        files.make_private(home.root)
        ignored = home.memory / ".gitignore"
        if files.identity(ignored) is None:
            replace_file(files, ignored, (IGNORED.encode("ascii"),))
    except OSError as error:
        problems.report(ProblemKind.UNWRITABLE, home.root, write_failure(error, home.root).sentence)
    for name in home.unknown:
        known = ", ".join(sorted(KNOWN_VARIABLES))
        problems.report(ProblemKind.ODD, name, f"The environment variable {name} means nothing; known are: {known}.")


def remove_strays(files: Files, home: Home) -> None:
    """Removes what a crash left unfinished, best effort."""
    aged = home.aged(USER).parent
    folders = [home.memory, home.journal, home.state, home.answers, home.maps, home.imports, aged]
    for parent in (home.projects, home.bases, aged / home.projects.name):
        folders += [parent / name for name in files.names(parent)]
    for folder in folders:
        for name in files.names(folder):
            if name.endswith(TEMPORARY):
                with contextlib.suppress(OSError):
                    files.remove(folder / name)


def read_journal(files: Files, home: Home) -> list[tuple[Path, bytes]]:
    """The segments of the journal. Raises OSError."""
    return [(path, files.read(path)) for path in segment_paths(files.names(home.journal), home.journal)]


def report_damage(files: Files, recovered: Recovered, problems: Problems, now: Millis) -> None:
    """Keeps damaged segments under another name, and says what is missing."""
    for path, sound in recovered.damaged.items():
        try:
            segment = next(each for each in recovered.segments if each.path == path)
            aside, segment.size = keep_damaged(files, path, sound, damaged_suffix(now))
            kept = aside.name
        except OSError as error:
            kept = f"{path.name} ({error.strerror})"
        if any(b'"entry"' in line[:_START] for line in sound):
            sentence = f"{path} was damaged. It is kept as {kept}; the sound lines of it are used."
        else:
            sentence = (
                f"{path} was emptied or damaged, and no write in it can be read: what was saved last and is not in the "
                f"files of the memory is lost. It is kept as {kept}."
            )
        problems.report(ProblemKind.DAMAGED, path, sentence)
    for first in recovered.missing:
        path = recovered.segments[0].path.parent
        problems.report(ProblemKind.DAMAGED, path, f"{path}: entries before number {first} are missing.")


def first_sequence(files: Files, home: Home, recovered: Recovered, now: Millis) -> int:
    """Where the journal goes on: behind its last entry, and where that is not known, behind every sequence that a lost
    journal of this memory had.

    Without a journal that is when a file of the memory last changed: the same with each start for as long as nothing
    is written. Who has been told of more than that knew another memory.
    """
    if recovered.is_cut:
        return max(recovered.durable, now)
    return recovered.durable or min(now, max((_changed(files, path) for path in _graphs(files, home)), default=0))


def _graphs(files: Files, home: Home) -> list[Path]:
    levels = [home.graph(key) for key in (USER, MAINTAIN)]
    return levels + [home.graph(project_key(slug)) for slug in files.names(home.projects) if is_slug(slug)]


def _changed(files: Files, path: Path) -> Millis:
    try:
        identity = files.identity(path)
    except OSError:
        return 0  # whoever reads it says so
    return 0 if identity is None else identity.modified // 1_000_000
