"""Standard error that bears not to be written: what is said there is lost, and nothing else changes."""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ERROR = 2


def tolerate(stream: type[io.TextIOWrapper] = io.TextIOWrapper) -> None:
    """Has this process end as it deserves although its standard error is closed, or its disk is full.

    What is said goes through a ``stream`` of this kind. Standard error that is somebody else's stays as it is.
    """
    before = sys.stderr
    if before is not sys.__stderr__ or os.name == "nt":  # a console there is no plain descriptor
        return
    encoding = "utf-8"
    if before is None:
        _occupy()
    else:
        encoding = before.encoding
    raw = _Descriptor(_ERROR, "w", closefd=False)
    sys.stderr = stream(io.BufferedWriter(raw), encoding=encoding, errors="backslashreplace", line_buffering=True)


class _Descriptor(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _occupy() -> None:
    """Takes the number of the closed descriptor, lest a file of ours get it and be written what was meant for it."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    if nothing != _ERROR:
        os.dup2(nothing, _ERROR)
        os.close(nothing)
