"""The file layer: the few operations the store needs, each of which may fail, and the real disk.

Everything the store does to its files goes through a :class:`Files`, so that the tests can put a disk under it that
forgets what was not synced.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kg_core.store.regular import open_regular, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable

TEMPORARY = ".tmp"
"""Suffix of files that are not finished; strays are removed when a store opens."""


class Identity(NamedTuple):
    """What tells cheaply whether a file is still the one that was read or written."""

    device: int
    inode: int
    size: int
    modified: int


class Appending(Protocol):
    """A file open for appending."""

    def append(self, data: bytes) -> None:
        """Adds ``data`` at the end; on an error a part of it may be there."""

    def sync(self) -> None:
        """Returns once all that was appended is on the disk."""

    def truncate(self, size: int) -> None:
        """Cuts the file to ``size`` bytes."""

    def is_at(self, path: Path) -> bool:
        """Whether this is the file that others find at ``path``: it was neither removed nor moved."""

    def close(self) -> None:
        """Gives the handle back."""


class Held(Protocol):
    """A lock that is held until released or until the process ends."""

    def describe(self, text: str) -> None:
        """Replaces what others read in the lock file."""

    def is_at(self, path: Path) -> bool:
        """Whether this is the lock file that others find at ``path``: it was neither removed nor moved."""

    def release(self) -> None:
        """Gives the lock back."""


class Files(Protocol):
    """Operations on files. All raise OSError; none retries. Folders are private (0700), files too (0600)."""

    def read(self, path: Path) -> bytes:
        """The whole file."""

    def identity(self, path: Path) -> Identity | None:
        """The file's identity; ``None`` when there is none."""

    def real(self, path: Path) -> Path:
        """Where the file is, or would be: a person may keep one of ours elsewhere, with a link in its place."""

    def names(self, folder: Path) -> list[str]:
        """The names in a folder, sorted; empty when there is no such folder."""

    def make_folder(self, path: Path) -> None:
        """Creates the folder and those above it that are missing, and makes that durable."""

    def make_private(self, path: Path) -> None:
        """Lets nobody but the user enter the folder; nothing happens where that is not ours to say."""

    def write(self, path: Path, chunks: Iterable[bytes]) -> Identity:
        """Creates or truncates the file, writes, syncs; its identity. The name itself is not yet durable."""

    def open_append(self, path: Path) -> Appending:
        """Opens an existing file for appending."""

    def rename(self, source: Path, target: Path) -> None:
        """Renames within a folder, replacing the target in one step; durable after :meth:`sync_folder`."""

    def remove(self, path: Path) -> None:
        """Removes a file; nothing happens when it is gone already."""

    def sync_folder(self, path: Path) -> None:
        """Returns once the names in the folder are on the disk."""

    def lock(self, path: Path) -> Held | str:
        """The lock, or what its holder wrote into the file."""


def temporary(path: Path) -> Path:
    """The name under which a new content of ``path`` is written."""
    return path.with_name(path.name + TEMPORARY)


def replace_file(files: Files, path: Path, chunks: Iterable[bytes]) -> Identity:
    """Puts ``chunks`` in place of the file: after a crash at any moment there is the old content or the new.

    A link stays, and what it leads to is written.
    """
    path = files.real(path)
    try:
        identity = files.write(temporary(path), chunks)
        files.rename(temporary(path), path)
    except OSError:
        with contextlib.suppress(OSError):
            files.remove(temporary(path))
        raise
    files.sync_folder(path.parent)
    return identity


@dataclass(frozen=True, slots=True)
class OsFiles:
    """The disk of this machine."""

    def read(self, path: Path) -> bytes:
        """See :class:`Files`."""
        return read_regular(path)

    def identity(self, path: Path) -> Identity | None:
        """See :class:`Files`."""
        try:
            return _identity(path.stat())
        except (FileNotFoundError, NotADirectoryError):
            return None

    def real(self, path: Path) -> Path:
        """See :class:`Files`."""
        return Path(os.path.realpath(path)) if path.is_symlink() else path

    def names(self, folder: Path) -> list[str]:
        """See :class:`Files`."""
        try:
            return sorted(path.name for path in folder.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []

    def make_folder(self, path: Path) -> None:
        """See :class:`Files`."""
        if path.is_dir():
            return
        self.make_folder(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        self.sync_folder(path.parent)

    def make_private(self, path: Path) -> None:
        """See :class:`Files`."""
        with contextlib.suppress(OSError):
            path.chmod(0o700)

    def write(self, path: Path, chunks: Iterable[bytes]) -> Identity:
        """See :class:`Files`."""
        descriptor = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            for chunk in chunks:
                _write_all(descriptor, chunk)
            _sync(descriptor)
            return _identity(os.fstat(descriptor))
        except OSError as error:
            raise _naming(error, path) from error
        finally:
            os.close(descriptor)

    def open_append(self, path: Path) -> Appending:
        """See :class:`Files`."""
        return _OsAppending(path, open_regular(path, os.O_WRONLY | os.O_APPEND))

    def rename(self, source: Path, target: Path) -> None:
        """See :class:`Files`."""
        source.replace(target)

    def remove(self, path: Path) -> None:
        """See :class:`Files`."""
        path.unlink(missing_ok=True)

    def sync_folder(self, path: Path) -> None:
        """See :class:`Files`. Where folders cannot be opened (Windows), renames are durable by themselves."""
        if sys.platform == "win32":
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            raise _naming(error, path) from error
        finally:
            os.close(descriptor)

    def lock(self, path: Path) -> Held | str:
        """See :class:`Files`. On a disk that cannot be written, a lock file that is there is locked all the same."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            descriptor = os.open(path, os.O_RDONLY)
        if _try_lock(descriptor):
            return _OsHeld(descriptor)
        try:
            return os.read(descriptor, 4096).decode("utf-8", "replace")
        finally:
            os.close(descriptor)


@dataclass(slots=True)
class _OsAppending:
    path: Path
    descriptor: int

    def append(self, data: bytes) -> None:
        try:
            _write_all(self.descriptor, data)
        except OSError as error:
            raise _naming(error, self.path) from error

    def sync(self) -> None:
        try:
            _sync_data(self.descriptor)
        except OSError as error:
            raise _naming(error, self.path) from error

    def truncate(self, size: int) -> None:
        os.ftruncate(self.descriptor, size)

    def is_at(self, path: Path) -> bool:
        return _is_at(self.descriptor, path)

    def close(self) -> None:
        os.close(self.descriptor)


@dataclass(slots=True)
class _OsHeld:
    descriptor: int

    def describe(self, text: str) -> None:
        data = text.encode("utf-8")
        os.ftruncate(self.descriptor, 0)
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        _write_all(self.descriptor, data)

    def is_at(self, path: Path) -> bool:
        return _is_at(self.descriptor, path)

    def release(self) -> None:
        os.close(self.descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _identity(status: os.stat_result) -> Identity:
    return Identity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return False


def _naming(error: OSError, path: Path) -> OSError:
    return OSError(error.errno, error.strerror, str(path))


if sys.platform == "win32":
    import msvcrt

    _sync = _sync_data = os.fsync

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    if sys.platform == "darwin":

        def _sync(descriptor: int) -> None:
            try:
                fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            except OSError:  # a disk in the network or of another system may not know it
                os.fsync(descriptor)

        _sync_data = _sync
    else:
        _sync = os.fsync
        _sync_data = os.fdatasync

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
