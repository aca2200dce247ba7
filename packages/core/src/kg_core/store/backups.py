"""Copies kept beside the memory: the last snapshots of each graph, and damaged files as they were found. Blocking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model import to_iso
from kg_core.store.files import replace_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kg_core.home import Home
    from kg_core.model import GraphKey, Millis
    from kg_core.store.files import Files

KEPT: Final = 2
"""Snapshots kept per graph: the last one is the base of edits from outside, the one before it a backup."""


def keep_base(files: Files, home: Home, key: GraphKey, sequence: int, content: str, chunks: Sequence[bytes]) -> None:
    """Keeps a snapshot that is about to become the file. Raises OSError."""
    folder = home.base(key)
    files.make_folder(folder)
    path = folder / f"{sequence:016d}-{content}.json"
    if files.identity(path) is None:
        replace_file(files, path, chunks)


def drop_old_bases(files: Files, home: Home, key: GraphKey) -> None:
    """Lets go of all but the youngest snapshots. Raises OSError."""
    folder = home.base(key)
    for name in _bases(files, folder)[:-KEPT]:
        files.remove(folder / name)


def read_base(files: Files, home: Home, key: GraphKey, content: str = "") -> bytes | None:
    """The youngest kept snapshot with this SHA-256 (or of any); ``None`` when there is none that can be read."""
    folder = home.base(key)
    for name in reversed(_bases(files, folder)):
        if content in name:
            try:
                return files.read(folder / name)
            except OSError:
                continue
    return None


def keep_damaged(files: Files, path: Path, data: bytes, now: Millis) -> Path:
    """Keeps the bytes of a damaged file under another name. Raises OSError."""
    kept = path.with_name(path.name + damaged_suffix(now))
    replace_file(files, kept, (data,))
    return kept


def damaged_suffix(now: Millis) -> str:
    """What is added to the name of a damaged file; legal on every disk."""
    return ".corrupt-" + to_iso(now).replace(":", "").replace("-", "")


def _bases(files: Files, folder: Path) -> list[str]:
    return [name for name in files.names(folder) if name.endswith(".json")]
