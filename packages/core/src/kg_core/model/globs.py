"""Patterns of paths as people write them into a project's map."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Self
from unicodedata import normalize

_ANY: Final = "*"
_ONE: Final = "?"
_DEEP: Final = "**"


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern over the path of a file, relative to the root of its code base, with ``/`` between its parts.

    ``*`` and ``?`` stay within one part, ``**`` as a whole part stands for any number of parts, none included. All
    other characters are themselves, brackets too; case counts. A pattern without wildcards names a file, or a folder
    with everything below it. Matching takes time in proportion to the product of the lengths at worst, whatever the
    pattern is.
    """

    text: str
    parts: tuple[str, ...] = field(repr=False, compare=False)
    literal: str = field(repr=False, compare=False)
    """What a path must begin with: all before the first wildcard."""

    @classmethod
    def of(cls, text: str) -> Self:
        """The pattern in ``text``. A leading ``./`` or ``/`` goes, ``\\`` counts as ``/``, and what ends with ``/``
        means everything below. Raises ValueError with what is wrong, as the end of a sentence.
        """
        shown = composed(text.strip().replace("\\", "/"))
        while shown.startswith("./"):
            shown = shown[2:]
        shown = shown.lstrip("/")
        if shown.endswith("/"):
            shown += _DEEP
        parts = [part for part in shown.split("/") if part not in {"", "."}]
        if ".." in parts:
            raise ValueError("leads out of the code base with '..'")
        if not parts:
            raise ValueError("is empty; '**' means every file")
        for part in parts:
            if _DEEP in part and part != _DEEP:
                raise ValueError("has '**' beside other characters; write it as a part of its own, like 'src/**/*.py'")
        parts = [part for at, part in enumerate(parts) if part != _DEEP or at == 0 or parts[at - 1] != _DEEP]
        joined = "/".join(parts)
        if parts[-1] == _DEEP:  # what is below a folder, not the folder itself
            parts.append(_ANY)
        wild = min((at for at in (joined.find(_ANY), joined.find(_ONE)) if at >= 0), default=len(joined))
        return cls(joined, tuple(parts), joined[:wild])

    @property
    def is_literal(self) -> bool:
        """Whether it has no wildcard."""
        return len(self.literal) == len(self.text)

    def is_exactly(self, path: str) -> bool:
        """Whether it names this very path, without a wildcard."""
        return self.is_literal and path == self.text

    def matches(self, path: str) -> bool:
        """Whether it matches the whole of ``path``, which is :func:`composed`."""
        if not path.startswith(self.literal):
            return False
        if self.is_literal:
            return len(path) == len(self.literal) or path[len(self.literal)] == "/"
        return _matches_parts(self.parts, path.split("/"))


def composed(path: str) -> str:
    """A path with accents as people type them; some disks and archives tell them apart from their letters."""
    return path if path.isascii() else normalize("NFC", path)


def _matches_parts(pattern: tuple[str, ...], parts: list[str]) -> bool:
    """The wildcard match over parts: what follows the last ``**`` against the end, which most paths fail at once; the
    rest from the beginning, where a mismatch lets the last ``**`` so far take one part more. No pattern ends with one.
    """
    if _DEEP not in pattern:
        return len(pattern) == len(parts) and all(map(_matches_part, pattern, parts))
    last = len(pattern) - 1 - pattern[::-1].index(_DEEP)
    below = len(pattern) - last - 1
    end = len(parts) - below
    if end < 0 or not all(map(_matches_part, pattern[last + 1 :], parts[end:])):
        return False
    at = here = 0
    deep, resume = -1, 0
    while at < last:
        if pattern[at] == _DEEP:
            deep, resume = at, here
            at += 1
        elif here < end and _matches_part(pattern[at], parts[here]):
            at += 1
            here += 1
        elif deep >= 0 and here < end:
            resume += 1
            at, here = deep + 1, resume
        else:
            return False
    return True


def _matches_part(pattern: str, part: str) -> bool:
    """The wildcard match within one part: the pieces between the stars, each as early as it can be."""
    first, *between = pattern.split(_ANY)
    if not between:
        return len(first) == len(part) and _is_at(first, part, 0)
    end = len(part) - len(between[-1])
    at = len(first)
    if end < at or not _is_at(first, part, 0) or not _is_at(between[-1], part, end):
        return False
    for piece in between[:-1]:
        at = _place(piece, part, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def _is_at(piece: str, part: str, at: int) -> bool:
    """Whether a piece without a star fits at a place."""
    if _ONE not in piece:
        return part.startswith(piece, at)
    return all(wanted in {_ONE, found} for wanted, found in zip(piece, part[at : at + len(piece)], strict=True))


def _place(piece: str, part: str, at: int, end: int) -> int:
    """The first place from ``at`` on at which a piece fits before ``end``; -1 when there is none."""
    if _ONE not in piece:
        return part.find(piece, at, end)
    if max(piece.split(_ONE), key=len) not in part:
        return -1
    found = _expression(piece).search(part, at, end)
    return -1 if found is None else found.start()


@lru_cache(maxsize=1_024)
def _expression(piece: str) -> re.Pattern[str]:
    """A piece as an expression of one length: it goes back over nothing."""
    return re.compile("".join("." if character == _ONE else re.escape(character) for character in piece), re.DOTALL)
