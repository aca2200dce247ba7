"""The disk of the explored machine: the one of core's crash tests, and the file of contexts on it."""

from __future__ import annotations

import importlib.util
import random
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

    from kg_core.store import Home

_NAME = "kg_interleavings_volatile"
_SOURCE = Path(__file__).parents[2] / "packages" / "core" / "tests" / "_support" / "volatile.py"


def _volatile() -> ModuleType:
    if _NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(_NAME, _SOURCE)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[_NAME] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[_NAME]


_MODULE = _volatile()
Disk = _MODULE.VolatileFiles
"""See ``packages/core/tests/_support/volatile.py``."""

NOTHING, ALL = 0, 1
"""What is left of the unsynced bytes after a crash; any other number seeds what is."""


def found_again(disk: Any, left: int) -> Any:
    """The disk after a crash. ``NOTHING``: the power failed, and what was not synced is gone. ``ALL``: the process was
    killed, and all is there. Else the power failed and left any part of it, as the seed says.
    """
    if left != ALL:
        return disk.after_crash(None if left == NOTHING else random.Random(left))
    found = Disk()
    found._number, found._clock = disk._number, disk._clock
    for path, folder in disk.folders.items():
        kept = {
            name: _MODULE.Inode(inode.number, inode.data, inode.data, inode.changed)
            for name, inode in folder.names.items()
        }
        found.folders[path] = _MODULE.Folder(dict(kept), kept)
    return found


@cache
def file_of(home: Home, key: str) -> Path:
    """The content file of a graph."""
    return home.graph(key)


def is_synced(disk: Any, folder: Path, data: bytes) -> bool:
    """Whether some file of the folder holds ``data`` even after the power failed."""
    return any(data in inode.durable for inode in disk.folders[folder].durable.values())


class File:
    """A path on the explored disk, as far as the log of contexts uses paths. Its bytes are never synced."""

    def __init__(self, disk: Any, path: Path) -> None:
        self._disk = disk
        self._path = path

    @property
    def parent(self) -> File:
        return File(self._disk, self._path.parent)

    @property
    def name(self) -> str:
        return self._path.name

    def with_name(self, name: str) -> File:
        return File(self._disk, self._path.with_name(name))

    def mkdir(self, *, parents: bool, exist_ok: bool, mode: int) -> None:
        del parents, exist_ok, mode
        self._disk.make_folder(self._path)

    def chmod(self, mode: int) -> None:
        del mode

    def stat(self) -> Any:
        identity = self._disk.identity(self._path)
        if identity is None:
            raise FileNotFoundError(self._path)
        return _Status(identity)

    def unlink(self, *, missing_ok: bool) -> None:
        del missing_ok
        self._disk.remove(self._path)

    def replace(self, target: File) -> None:
        self._disk.rename(self._path, target._path)

    def open(self, mode: str) -> _Open:
        folder = self._disk._folder(self._path)
        inode = folder.names.get(self._path.name)
        if mode == "rb" and inode is None:
            raise FileNotFoundError(self._path)
        if inode is None:
            self._disk._number += 1
            inode = folder.names[self._path.name] = _MODULE.Inode(self._disk._number)
            folder.durable[self._path.name] = _MODULE.Inode(self._disk._number)
        if mode == "wb":
            inode.data = b""
        return _Open(self._disk, self._path, inode)

    def __str__(self) -> str:
        return str(self._path)


class _Status:
    def __init__(self, identity: Any) -> None:
        self.st_dev, self.st_ino, self.st_size = identity.device, identity.inode, identity.size


class _Open:
    """An open file of which every byte is written at once, and read from the start."""

    def __init__(self, disk: Any, path: Path, inode: Any) -> None:
        self._disk, self._path, self._inode = disk, path, inode
        self._at = 0

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def seek(self, at: int) -> None:
        self._at = at

    def read(self, most: int) -> bytes:
        self._disk._alive(self._path)
        data: bytes = self._inode.data[self._at : self._at + most]
        return data

    def write(self, data: memoryview) -> int:
        self._disk._alive(self._path)
        if self._disk.refuse:
            raise OSError(self._disk.refuse, "the disk refuses", str(self._path))
        self._inode.data += bytes(data)
        return len(data)

    def close(self) -> None:
        return
