"""Where the files that carriers and server share lie in a memory home."""

from __future__ import annotations

import errno
import os
import time

from kg_server.carrier.regular import regular


class Places:
    """The shared files below one memory home; all of them live in its ``state`` folder.

    ``server`` says where the server listens. ``outage`` is there while the server does not answer, its time is
    the last miss; ``said`` is there once that was said to a model. ``stopped`` is there after ``kg stop``.
    ``starting`` is there while somebody starts a server. ``lock`` is held by whoever starts or stops one.
    ``late`` is a folder that is there while starts and compactions wait for a server to hear of them.
    """

    def __init__(self, home: str) -> None:
        self.home = home
        self.state = os.path.join(home, "state")
        self.server = os.path.join(self.state, "server.json")
        self.outage = os.path.join(self.state, "outage.json")
        self.said = os.path.join(self.state, "outage.said")
        self.stopped = os.path.join(self.state, "stopped")
        self.starting = os.path.join(self.state, "starting")
        self.lock = os.path.join(self.state, "lifecycle.lock")
        self.late = os.path.join(self.state, "late")
        self.log = os.path.join(self.state, "server.log")

    def prepare(self) -> None:
        """Makes the home and its state folder, for this user's eyes only. Raises OSError when that cannot be."""
        for folder in (self.home, self.state):
            try:
                os.makedirs(folder, mode=0o700, exist_ok=True)
            except FileExistsError as failure:  # a file, or a link that leads nowhere
                raise NotADirectoryError(errno.ENOTDIR, "it is no folder", folder) from failure

    def answers(self, harness: str) -> str:
        """The static answers for one harness, whose name cannot lead elsewhere."""
        return os.path.join(self.state, "mcp", os.path.basename(harness) + ".json")


def age(path: str, now: float) -> float | None:
    """Seconds since the file was written, or None when it is not there or lies in the future."""
    try:
        seconds = now - os.stat(path).st_mtime
    except OSError:
        return None
    return seconds if seconds >= 0 else None


def touch(path: str, *, new: bool = False) -> bool:
    """Writes the file or renews its time. With ``new``, only when it was not there. False when that cannot be.

    The time is that of this machine, by which it is looked at later: that of a server of files may be another.
    """
    try:
        flags = os.O_CREAT | os.O_WRONLY | (os.O_EXCL if new else 0)
        os.close(regular(path, flags))
        now = time.time()
        os.utime(path, (now, now))
    except OSError:
        return False
    return True


def remove(path: str) -> None:
    """Removes the file if it is there and may be removed."""
    try:
        os.unlink(path)
    except OSError:
        return
