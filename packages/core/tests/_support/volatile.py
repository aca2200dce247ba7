"""A disk in memory that loses at a crash every byte and every name that was not synced, and that fails when told to."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from kg_core.store.files import Identity

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

_PAGE = 64
_HALVES = {"append", "sync", "rename", "sync folder"}
"""Operations that a crash can stop half way."""


@dataclass
class Inode:
    number: int
    data: bytes = b""
    durable: bytes = b""
    changed: int = 0


@dataclass
class Folder:
    names: dict[str, Inode] = field(default_factory=dict)
    durable: dict[str, Inode] = field(default_factory=dict)
    pending: list[dict[str, Inode]] = field(default_factory=list)
    """The names after each change since the last sync, oldest first."""

    def changed(self) -> None:
        self.pending.append(dict(self.names))


class VolatileFiles:
    """Implements ``Files``. ``count`` numbers the operations.

    ``crash_at`` is the number of the operation at which the machine stops: before it, or in its midst when ``half``.
    ``faults`` maps numbers to errno values, and an append that fails leaves half of its bytes when ``short``;
    ``refuse`` is an errno for all that writes, until it is 0 again.
    """

    def __init__(self) -> None:
        self.folders: dict[Path, Folder] = {Path("/"): Folder()}
        self.count = 0
        self.crash_at = 0
        self.half = False
        self.faults: dict[int, int] = {}
        self.short = False
        self.refuse = 0
        self.is_gone = False
        self.locks: dict[Path, Lock] = {}
        self.steps: list[str] = []
        self._number = 0
        self._clock = 0
        self._mutex = RLock()

    # Reading

    def read(self, path: Path) -> bytes:
        with self._mutex:
            self._alive(path)
            return self._find(path).data

    def identity(self, path: Path) -> Identity | None:
        with self._mutex:
            self._alive(path)
            folder = self.folders.get(path.parent)
            inode = folder.names.get(path.name) if folder else None
            return inode and Identity(1, inode.number, len(inode.data), inode.changed)

    def real(self, path: Path) -> Path:
        return path

    def names(self, folder: Path) -> list[str]:
        with self._mutex:
            self._alive(folder)
            below = [path.name for path in self.folders if path.parent == folder and path != folder]
            known = self.folders.get(folder)
            return sorted([*below, *(known.names if known else ())])

    # Writing: each step is one operation at which a crash or a fault can happen.

    def make_folder(self, path: Path) -> None:
        with self._mutex:
            if path in self.folders:
                return
            self.make_folder(path.parent)
            self._step("make folder", path)
            self.folders[path] = Folder()

    def make_private(self, path: Path) -> None:
        self._alive(path)

    def write(self, path: Path, chunks: Iterable[bytes]) -> Identity:
        with self._mutex:
            self._step("create", path)
            folder = self._folder(path)
            inode = folder.names.get(path.name)
            if inode is None:
                self._number += 1
                inode = folder.names[path.name] = Inode(self._number)
                folder.changed()
            inode.data = b""
            for chunk in chunks:
                self._append(inode, path, chunk)
            self._sync(inode, path)
            return Identity(1, inode.number, len(inode.data), inode.changed)

    def open_append(self, path: Path) -> Appending:
        with self._mutex:
            self._alive(path)
            return Appending(self, path, self._find(path))

    def rename(self, source: Path, target: Path) -> None:
        with self._mutex:
            half = self._step("rename", target)
            folder = self._folder(target)
            folder.names[target.name] = self._find(source)
            del folder.names[source.name]
            folder.changed()
            self._stop(half)

    def remove(self, path: Path) -> None:
        with self._mutex:
            self._step("remove", path)
            folder = self.folders.get(path.parent)
            if folder and folder.names.pop(path.name, None):
                folder.changed()

    def sync_folder(self, path: Path) -> None:
        with self._mutex:
            half = self._step("sync folder", path)
            folder = self._folder(path / "x")
            folder.durable = dict(folder.names)
            folder.pending = []
            self._stop(half)

    def lock(self, path: Path):
        with self._mutex:
            self._alive(path)
            if self.refuse:
                raise OSError(self.refuse, os.strerror(self.refuse), str(path))
            if path in self.locks:
                return self.locks[path].text
            self.locks[path] = Lock(self, path)
            return self.locks[path]

    # What a test does with it

    def put(self, path: Path, data: bytes) -> None:
        """A person or a program of theirs writes the file, durably."""
        for above in reversed((path.parent, *path.parent.parents)):
            self.folders.setdefault(above, Folder())
        folder = self.folders[path.parent]
        self._number += 1
        self._clock += 1
        folder.names[path.name] = folder.durable[path.name] = Inode(self._number, data, data, self._clock)
        folder.pending = []

    def after_crash(self, chance: random.Random | None = None) -> VolatileFiles:
        """The disk as it is found again. Without ``chance`` nothing unsynced is left; with it, some of it is."""
        with self._mutex:
            found = VolatileFiles()
            found._number, found._clock = self._number, self._clock
            for path, folder in self.folders.items():
                names = folder.durable
                if chance is not None and folder.pending:
                    names = chance.choice([folder.durable, *folder.pending])
                kept = {}
                for name, inode in names.items():
                    data = inode.durable if chance is None else _torn(inode, chance)
                    kept[name] = Inode(inode.number, data, data, inode.changed)
                found.folders[path] = Folder(dict(kept), dict(kept))
            return found

    # Inside

    def _append(self, inode: Inode, path: Path, data: bytes) -> None:
        try:
            half = self._step("append", path)
        except OSError:
            if self.short and self.count in self.faults:
                inode.data += data[: len(data) // 2]
            raise
        inode.data += data[: len(data) // 2] if half else data
        self._clock += 1
        inode.changed = self._clock
        self._stop(half)

    def _sync(self, inode: Inode, path: Path) -> None:
        half = self._step("sync", path)
        inode.durable = inode.data
        self._stop(half)

    def _step(self, kind: str, path: Path) -> bool:
        """Count an operation; true when the machine is to stop half way through it."""
        self._alive(path)
        if self.refuse:
            raise OSError(self.refuse, os.strerror(self.refuse), str(path))
        self.count += 1
        self.steps.append(f"{kind} {path}")
        if self.count in self.faults:
            code = self.faults[self.count]
            raise OSError(code, os.strerror(code), str(path))
        if self.count == self.crash_at and not (self.half and kind in _HALVES):
            self._stop(True)
        return self.count == self.crash_at

    def _stop(self, now: bool) -> None:
        if now:
            self.is_gone = True
            raise OSError(errno.EIO, "the machine stopped")

    def _alive(self, path: Path) -> None:
        if self.is_gone:
            raise OSError(errno.EIO, "the machine stopped", str(path))

    def _folder(self, path: Path) -> Folder:
        folder = self.folders.get(path.parent)
        if folder is None:
            raise FileNotFoundError(errno.ENOENT, "no such folder", str(path))
        return folder

    def _find(self, path: Path) -> Inode:
        inode = self._folder(path).names.get(path.name)
        if inode is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", str(path))
        return inode


@dataclass
class Appending:
    files: VolatileFiles
    path: Path
    inode: Inode

    def append(self, data: bytes) -> None:
        with self.files._mutex:
            self.files._append(self.inode, self.path, data)

    def sync(self) -> None:
        with self.files._mutex:
            self.files._sync(self.inode, self.path)

    def truncate(self, size: int) -> None:
        with self.files._mutex:
            self.files._step("truncate", self.path)
            self.inode.data = self.inode.data[:size]

    def is_at(self, path: Path) -> bool:
        folder = self.files.folders.get(path.parent)
        return folder is not None and folder.names.get(path.name) is self.inode

    def close(self) -> None:
        return


@dataclass
class Lock:
    files: VolatileFiles
    path: Path
    text: str = ""

    def describe(self, text: str) -> None:
        self.text = text

    def is_at(self, path: Path) -> bool:
        return self.files.locks.get(path) is self

    def release(self) -> None:
        if self.is_at(self.path):
            del self.files.locks[self.path]


def _torn(inode: Inode, chance: random.Random) -> bytes:
    """Any mixture of old and new pages, as long as what was synced is there where nothing overwrote it."""
    old, new = inode.durable, inode.data
    if old == new or chance.random() < 0.3:
        return old
    if chance.random() < 0.3:
        return new
    length = chance.randint(min(len(old), len(new)), max(len(old), len(new)))
    pages = []
    for at in range(0, length, _PAGE):
        page = new[at : at + _PAGE] if chance.random() < 0.7 else old[at : at + _PAGE]
        pages.append(page.ljust(min(_PAGE, length - at), b"\0")[: length - at])
    return b"".join(pages)
