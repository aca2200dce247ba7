"""What a private Postgres and its programs said before they ended, and what a person can do about it."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST: Final = 400
"""Characters that are shown."""
_READ: Final = 64 * 1024
_FAILURE: Final = re.compile(r".*?\b(PANIC|FATAL): +(.+)")
_PASSING: Final = re.compile(
    r"the database system is |terminating |canceling |connection to client lost|sorry, too many "
)
"""What others were told meanwhile, and what ended one connection alone: we cut those that take too long."""
_FULL: Final = "No space left on device"
_LEAST: Final = 16 * 1024 * 1024
"""Bytes of one file of its log of changes, without which no Postgres starts."""


def reason(said: bytes) -> str:
    """Why a program ended, in one line without an end mark: what it called the end, else its last words."""
    return end(said) or " ".join(_lines(said))[-_LONGEST:].rstrip(".")


def end(said: bytes) -> str:
    """What Postgres called its end, or that of all its connections, without an end mark; empty when it named none."""
    ends = {}
    for line in _lines(said):
        if (found := _FAILURE.fullmatch(line)) and not _PASSING.match(found[2]):
            ends[found[1]] = found[2]
    return (ends.get("PANIC") or ends.get("FATAL") or "")[:_LONGEST].rstrip(".")


def silence(folder: Path) -> str:
    """Why one in this folder said nothing, without an end mark: on a full disk it cannot say even that. Blocking."""
    try:
        is_full = shutil.disk_usage(folder).free < _LEAST
    except OSError:
        is_full = False
    return _FULL if is_full else "it said nothing"


def read(log: Path) -> bytes:
    """The beginning of a log, which one server writes; nothing when it cannot be read. Blocking."""
    try:
        with log.open("rb") as file:
            return file.read(_READ)
    except OSError:
        return b""


def advice(sentence: str, folder: Path) -> str:
    """What a person has to do first, where a sentence on a Postgres below this folder tells that; else empty."""
    return f"Free some space where {folder} is." if _FULL in sentence else ""


def _lines(said: bytes) -> list[str]:
    return [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
