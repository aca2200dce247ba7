"""Opening files of the state folder, where something else may lie in the place of each."""

from __future__ import annotations

import errno
import os
import stat

_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_WRONG = "it is not a regular file"


def regular(path: str, flags: int) -> int:
    """An opener, for :func:`open`. A file that it creates is for this user's eyes only.

    Raises OSError, also for what is no regular file: whoever opens a pipe may wait for ever.
    """
    return _opened(path, flags, devices=False)


def sink(path: str) -> int:
    """What a process may add its messages to: a regular file, or a device such as that which forgets all.

    Raises OSError, also for a pipe, which would stop the process when nobody reads it.
    """
    descriptor = _opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, devices=True)
    if _NONBLOCK:
        os.set_blocking(descriptor, True)
    return descriptor


def _opened(path: str, flags: int, *, devices: bool) -> int:
    try:
        descriptor = os.open(path, flags | _NONBLOCK, 0o600)
    except OSError as failure:
        if failure.errno == errno.ENXIO:  # a pipe that nobody reads, or a socket
            raise OSError(errno.EINVAL, _WRONG, path) from failure
        raise
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or (devices and stat.S_ISCHR(mode)):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, _WRONG, path)
