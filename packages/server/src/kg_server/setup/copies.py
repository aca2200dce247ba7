"""Copies of our guides in folders that a person fills: found by their mark, and moved away when that person agrees."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from kg_plugin_api import GUIDE_MARK, Code, KgError
from kg_server.carrier.regular import regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_HEAD: Final = 4_096
"""The bytes in which a file says what it is."""

_MARK: Final = re.compile(rf"^ +{GUIDE_MARK}: (\S+)$", re.MULTILINE)
_VERSION: Final = re.compile(r'^ +version: "(\d+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Copy:
    """The file of a copy, the guide that it is a copy of, and that guide's version then (0 when it does not say)."""

    path: Path
    guide: str
    version: int


def found_in(folder: Path) -> Iterator[Copy]:
    """The copies in a folder of skills. What cannot be read is none."""
    try:
        found = sorted(folder.glob("*/SKILL.md"))
    except OSError:
        return
    for path in found:
        try:
            with open(path, "rb", opener=regular) as file:
                head = file.read(_HEAD).decode("utf-8", "replace")
        except OSError:
            continue
        mark, version = _MARK.search(head), _VERSION.search(head)
        if mark is not None:
            yield Copy(path, mark[1], int(version[1]) if version is not None else 0)


def put_away(copies: Sequence[Copy], backups: Path) -> Path:
    """Moves copies into a new folder below ``backups`` and returns it; other files beside them stay.

    A folder that is a link to elsewhere loses only the link. Raises UNAVAILABLE, naming the file that cannot be moved.
    """
    kept = backups / f"{datetime.now(UTC).strftime('%Y%m%dT%H%M%S.%fZ')}-copies"
    for number, copy in enumerate(copies, 1):
        folder = copy.path.parent
        try:
            if folder.is_symlink():
                folder.unlink()
                continue
            place = kept / f"{number}-{folder.name}"
            place.mkdir(parents=True, mode=0o700)
            shutil.move(copy.path, place)
        except OSError as failure:
            raise KgError(
                Code.UNAVAILABLE, f"{copy.path} could not be moved ({failure.strerror}). Move it away by hand."
            ) from failure
        with suppress(OSError):
            folder.rmdir()  # it stays when there is more in it
    return kept
