"""Opening files that something else may lie in the place of. Carriers do without this package and have their own."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MORE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_WRONG = "it is not a regular file"


def open_regular(path: str | Path, flags: int) -> int:
    """A descriptor; a file that is created is for this user's eyes only. May serve :func:`open` as its opener.

    Raises OSError, also for what is no regular file: whoever opens a pipe may wait for ever.
    """
    try:
        descriptor = os.open(path, flags | _MORE, 0o600)
    except OSError as failure:
        if failure.errno == errno.ENXIO:  # a pipe that nobody reads, or a socket
            raise OSError(errno.EINVAL, _WRONG, str(path)) from failure
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, _WRONG, str(path))


def read_regular(path: Path) -> bytes:
    """The whole file. Raises OSError, also for what is no regular file."""
    with open(path, "rb", opener=open_regular) as file:
        return file.read()
