"""The first steps of a store: folders, strays of a crash, and what the journal still holds. Blocking, and careful."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from kg_core.store.backups import damaged_suffix
from kg_core.store.failures import write_failure
from kg_core.store.files import TEMPORARY, replace_file
from kg_core.store.paths import IGNORED, KNOWN_VARIABLES
from kg_core.store.problems import ProblemKind
from kg_core.store.recovery import keep_damaged, segment_paths

if TYPE_CHECKING:
    from pathlib import Path

    from kg_core.model import Millis
    from kg_core.store.files import Files
    from kg_core.store.paths import Home
    from kg_core.store.problems import Problems
    from kg_core.store.recovery import Recovered


def prepare(files: Files, home: Home, problems: Problems) -> None:
    """Make the folders that are missing. On a disk that cannot be written, reading goes on."""
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
    """Remove what a crash left unfinished, best effort."""
    folders = [home.memory, home.journal, home.state, home.answers]
    for parent in (home.projects, home.bases):
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
    """Keep damaged segments under another name, and say what is missing."""
    for path, sound in recovered.damaged.items():
        try:
            kept = keep_damaged(files, path, sound, damaged_suffix(now)).name
        except OSError as error:
            kept = f"{path.name} ({error.strerror})"
        problems.report(
            ProblemKind.DAMAGED, path, f"{path} was damaged. It is kept as {kept}; the sound lines of it are used."
        )
    for first in recovered.missing:
        path = recovered.segments[0].path.parent
        problems.report(ProblemKind.DAMAGED, path, f"{path}: entries before number {first} are missing.")


def first_sequence(files: Files, home: Home, now: Millis) -> int:
    """Where a journal starts that has no segment: behind every sequence that a lost journal of this memory had."""
    has_memory = any(name.endswith(".json") for name in files.names(home.memory)) or files.names(home.projects)
    return now if has_memory else 0
