"""A lock between processes that ends with its holder, whatever ends that."""

from __future__ import annotations

import os
import sys
import time

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """Held by one process at a time. The file stays; only the lock on it matters."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor = -1
        self.failure: OSError | None = None
        """Why the last attempt found no file to lock and could make none; None where it is somebody who holds it."""

    def attempt(self) -> bool:
        """Takes the lock if nobody holds it. False also when there is no file and none can be made.

        On a disk that cannot be written, a file that is there is locked all the same.
        """
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as failure:
            try:
                descriptor = os.open(self._path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
            except OSError:
                self.failure = failure
                return False
        self.failure = None
        try:
            _take(descriptor)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def acquire(self, deadline: float) -> bool:
        """Takes the lock as soon as it is free, or gives up at ``deadline`` (of ``time.monotonic``), or at once where
        there is nothing to lock.
        """
        while not self.attempt():
            if self.failure is not None or time.monotonic() >= deadline:
                return False
            time.sleep(0.02)
        return True

    def is_current(self) -> bool:
        """Whether the file that was locked is still the one at its path; its folder may have been deleted since."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except OSError:
            return False

    def release(self) -> None:
        """Lets go; harmless when it is not held."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
