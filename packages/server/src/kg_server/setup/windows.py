"""The commands that go into a client's settings on Windows: argument vectors, so that no shell has to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import PureWindowsPath

_IF_THERE: Final = (
    "import os,sys;r=sys.argv.pop(1);os.path.isfile(r) and "
    "exec(compile(open(r,'rb').read(),r,'exec'),{'__name__':'__main__','__file__':r})"
)
"""Runs a script only if it is there: without it the interpreter would exit with a code by which clients block what the
person typed. No double quote, percent sign or letter outside of ASCII: all rules of quoting leave it whole."""


def vector(python: PureWindowsPath, script: PureWindowsPath, *arguments: str) -> tuple[str, ...]:
    """How a carrier is started: absolute, with forward slashes, which Windows takes and no shell reads as an escape.

    Which shell a client would use there, Git Bash, PowerShell or cmd, is up to the machine, and no quoting suits all
    three; so a client is given the elements, and quotes them itself for the system call.
    """
    return (slashed(python), "-I", "-S", "-c", _IF_THERE, slashed(script), *arguments)


def slashed(path: PureWindowsPath) -> str:
    """A path as every shell of Windows reads it; of a share, ``//server/share/…``."""
    return path.as_posix()
