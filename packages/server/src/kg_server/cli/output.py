"""What a command says: its standard output, of which it is known when it cannot be written, and what failed."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from kg_server.cli.terminal import Tame, in_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_OUT = 1


def tell_failure(sentence: str) -> None:
    """Says what failed, as every command does: on standard error, on one line, which begins with ``Error:``."""
    click.echo(f"Error: {in_line(sentence)}", err=True)


class Unwritable(Exception):
    """Standard output takes nothing: its disk is full, or it is closed. A reader that has gone is none of this."""


class _Descriptor(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as failure:
            why = "is closed" if failure.errno == errno.EBADF else f"cannot be written ({failure.strerror})"
            raise Unwritable(f"Standard output {why}.") from failure


@contextlib.contextmanager
def standard_output() -> Iterator[None]:
    """What is printed meanwhile raises :class:`Unwritable` where it cannot be written, at the latest at the end.

    What cannot be encoded or could command a terminal is escaped, as on standard error. Output that is somebody else's
    stays as it is.
    """
    before = sys.stdout
    if before is not sys.__stdout__ or os.name == "nt":  # a console there is no plain descriptor
        if isinstance(before, io.TextIOWrapper):
            before.reconfigure(errors="backslashreplace")
        yield
        return
    encoding = "utf-8"
    if sys.__stdout__ is None:
        _occupy()
    else:
        encoding = sys.__stdout__.encoding
    raw = _Descriptor(_OUT, "w", closefd=False)
    sys.stdout = ours = Tame(
        io.BufferedWriter(raw), encoding=encoding, errors="backslashreplace", line_buffering=raw.isatty()
    )
    try:
        yield
        ours.flush()
    except BaseException:
        # Nobody reads what was not written yet; the interpreter is not to complain of it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), _OUT)
        raise
    finally:
        sys.stdout = before


def _occupy() -> None:
    """Takes the number of the closed descriptor, lest a file of ours get it; it cannot be written either."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    if nothing != _OUT:
        os.dup2(nothing, _OUT)
        os.close(nothing)
