"""By what a checkout is known again after its folder was moved: the file system keeps the numbers of what it moves."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.store.files import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.store.files import Files

_PARTS: Final = ("", ".git", ".git/objects", ".git/refs")
"""The folder and three that git makes once. One number may be given to another file later, not four together."""
MOST: Final = 2_000
"""Roots whose footprint is kept. Agents stand in many folders that nobody sees again; of one that is, it is retaken."""


def footprint(root: Path) -> str:
    """The numbers of a checkout's folders; empty for a folder that is no main checkout. Four looks at the disk."""
    try:
        found = [(root / part).stat() for part in _PARTS]
    except OSError:
        return ""
    return "-".join(f"{status.st_ino:x}" for status in found) if all(status.st_ino for status in found) else ""


class Footprints:
    """The footprint of every root that was seen, kept over restarts, best effort: one that is lost is taken anew."""

    def __init__(self, path: Path, files: Files, later: Callable[[Callable[[], None]], object]) -> None:
        self._path = path
        self._files = files
        self._later = later
        self._known: dict[str, str] = {}

    def load(self) -> None:
        """Reads what was kept. Blocking; what cannot be read is nothing."""
        try:
            table = json.loads(self._files.read(self._path))
        except (OSError, ValueError, RecursionError):
            return
        if isinstance(table, dict):
            self._known = {root: mark for root, mark in table.items() if isinstance(mark, str)}

    def note(self, root: Path) -> None:
        """Takes the footprint of a root that has none yet, or another one: somebody has cloned it anew."""
        mark = footprint(root)
        if mark and self._known.get(str(root)) != mark:
            self._known[str(root)] = mark
            for oldest in list(self._known)[:-MOST]:
                del self._known[oldest]
            self._save()

    def former(self, root: Path) -> Path | None:
        """Where the checkout at ``root`` was before; ``None`` when it was seen nowhere else, or is still there."""
        mark = footprint(root)
        if not mark:
            return None
        known = (Path(name) for name, seen in self._known.items() if seen == mark)
        return next((before for before in known if before != root and is_gone(before)), None)

    def forget(self, root: Path) -> None:
        """Nothing is at ``root`` any more."""
        if self._known.pop(str(root), None) is not None:
            self._save()

    def _save(self) -> None:
        data = json.dumps(self._known).encode("ascii")

        def write() -> None:
            with contextlib.suppress(OSError):
                replace_file(self._files, self._path, (data,))

        self._later(write)


def is_gone(path: Path) -> bool:
    """Whether nothing is there; what cannot be looked at, as on a disk that does not answer, is not gone."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last is for what can be no path
        return True
    except OSError:
        return False
    return False
