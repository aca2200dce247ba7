"""What the server's interpreter is given before the server runs in it: a clock that can be set, a disk to be filled.

The interpreter's ``site`` calls :func:`inject` in every process that carriers start with it, so that the server under
test is the one that they start, by their own command. The switches are a file that all of them map.
"""

from __future__ import annotations

import errno
import mmap
import os
import struct
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.store.files import Appending, Identity

_SWITCHES: Final = struct.Struct("<q?")
_FILE: Final = "switches"
FAKE_DISK: Final = "fake-disk"
"""A file of this name beside the switches says that no real disk can be filled."""


class Switches:
    """The switches of one run: how far off the server's clock is, and whether its disk pretends to be full."""

    def __init__(self, folder: Path) -> None:
        path = folder / _FILE
        if not path.exists():
            path.write_bytes(bytes(_SWITCHES.size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _SWITCHES.size)

    @property
    def clock(self) -> int:
        """Nanoseconds by which the server's clock is ahead."""
        return int(_SWITCHES.unpack_from(self._map)[0])

    @property
    def full(self) -> bool:
        """Whether the pretended disk is full."""
        return bool(_SWITCHES.unpack_from(self._map)[1])

    def set(self, *, clock: int | None = None, full: bool | None = None) -> None:
        """Sets what is given."""
        _SWITCHES.pack_into(self._map, 0, self.clock if clock is None else clock, self.full if full is None else full)


def inject(folder: str) -> None:
    """Changes the clock, and where need be the disk, of this process if it is to be the server."""
    if "kg_server" not in sys.orig_argv or "serve" not in sys.orig_argv:
        return
    switches = Switches(Path(folder))
    real = time.time_ns
    time.time_ns = lambda: real() + switches.clock
    if (Path(folder) / FAKE_DISK).exists():
        _inject_disk(switches)


def _inject_disk(switches: Switches) -> None:
    from kg_core.store import OsFiles, store

    def check(path: Path) -> None:
        if switches.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    class FullFiles(OsFiles):
        """The real disk, as it is when nothing more goes onto it."""

        def write(self, path: Path, chunks: Iterable[bytes]) -> Identity:
            check(path)
            return super().write(path, chunks)

        def open_append(self, path: Path) -> Appending:
            return FullAppending(super().open_append(path), path)

    class FullAppending:
        """A journal's handle on that disk, which takes half of what is appended."""

        def __init__(self, inner: Appending, path: Path) -> None:
            self._inner, self._path = inner, path
            self.truncate, self.close, self.is_at, self.sync = inner.truncate, inner.close, inner.is_at, inner.sync

        def append(self, data: bytes) -> None:
            if switches.full:
                self._inner.append(data[: len(data) // 2])
            check(self._path)
            self._inner.append(data)

    store.OsFiles = FullFiles  # type: ignore[attr-defined]
