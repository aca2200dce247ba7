"""Failures of the operating system as errors that name the path and say what holds."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from pathlib import Path

_READ_ONLY: Final = {errno.EROFS, errno.EACCES, errno.EPERM}
_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def write_failure(error: OSError, path: Path) -> KgError:
    """What a caller is told whose write did not reach the disk; nothing of it was kept."""
    place = error.filename or str(path)
    data = {"path": str(place), "errno": error.errno}
    if error.errno in _READ_ONLY:
        return KgError(Code.READ_ONLY, f"Not saved: the store is read-only: {place} ({error.strerror}).", data)
    if error.errno in _FULL:
        return KgError(Code.UNAVAILABLE, f"Not saved: the disk is full: {place} ({error.strerror}).", data)
    return KgError(Code.UNAVAILABLE, f"Not saved: writing {place} failed ({error.strerror or error}).", data)


def read_failure(error: OSError, path: Path) -> KgError:
    """What a caller is told when a file that is there cannot be read."""
    place = error.filename or str(path)
    return KgError(
        Code.UNAVAILABLE,
        f"Reading {place} failed ({error.strerror or error}). Nothing was changed.",
        {"path": str(place), "errno": error.errno},
    )
