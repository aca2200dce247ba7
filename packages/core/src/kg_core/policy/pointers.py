"""The pointers of nodes to files, as people write them: the paths and patterns that one may mean."""

from __future__ import annotations

import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from unicodedata import normalize

from kg_core.model.globs import Glob

_SUFFIXES: Final = (
    re.compile(r"\s+\(.*?\)+$"),  # a word on the place
    re.compile(r"(?::\d+(?:[-–:,]\d+)*|#L\d+(?:-L?\d+)?|[\s,]+lines?\s+\d+(?:\s*[-–]\s*\d+)?)$", re.IGNORECASE),
    re.compile(r"(?:::?|#)[^/\\:#\s][^/\\:#]*$"),  # a symbol or heading
)
_READINGS: Final = 8
_BRACES: Final = re.compile(r"\{([^{}]*,[^{}]*)\}")
_WAYS: Final = 32
"""Of a pattern with more alternatives the first are looked at."""


def readings(pointer: str, home: str = "") -> tuple[str, ...]:
    """The paths that a pointer may mean, as written first: ``a.py:12-40 (why)`` is also ``a.py:12-40`` and ``a.py``.

    ``/``-separated, without ``.`` and ``..``; absolute when the pointer is, or begins with ``~`` and ``home`` is given.
    Empty for addresses, for what leaves its folder, and for the root and the home themselves, which say nothing.
    """
    text = pointer.strip().strip("`").strip()
    if "://" in text:
        return ()
    written = [text]
    while len(written) < _READINGS:
        shorter = next((cut for suffix in _SUFFIXES if (cut := suffix.sub("", written[-1])) != written[-1]), "")
        if not shorter:
            break
        written.append(shorter)
    if "\\" in text and "/" not in text:
        written += [each.replace("\\", "/") for each in written]
    return tuple(dict.fromkeys(path for each in written if (path := plain(each, home))))


def plain(path: str, home: str = "") -> str:
    """A path in the form in which paths are compared; empty when it names nothing that could be compared."""
    if not path or "\0" in path or (path.startswith("~") and not (home and path.startswith("~/"))):
        return ""
    whole = home + path[1:] if path.startswith("~") else path
    norm = posixpath.normpath(whole)
    if norm.startswith("//"):
        norm = norm[1:]
    if norm in {".", "/", "..", home} or norm.startswith("../"):
        return ""
    if not is_pattern(norm):
        return normalize("NFC", norm)
    if not any(character.isalnum() for character in norm):
        return ""
    return normalize("NFC", norm) + ("/" if whole.endswith("/") else "")


def is_pattern(path: str) -> bool:
    """Whether a path has wildcards or alternatives. The name of a file may have them too."""
    return "*" in path or "?" in path or _BRACES.search(path) is not None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that was made ready. Its wildcards are those of :class:`kg_core.model.globs.Glob`, and ``{a,b}``.

    One without ``/`` means a name in any folder. ``folder`` is the one in which everything lies that it may match,
    empty when that is any; ``loose`` counts its wildcards.
    """

    ways: tuple[Glob, ...]
    is_absolute: bool
    folder: str
    loose: int

    @property
    def is_for_any_folder(self) -> bool:
        """Whether it means files wherever they are."""
        return not self.is_absolute and all(way.text.startswith("**/") for way in self.ways)

    def matches(self, path: str) -> bool:
        """Whether it matches the whole of a plain path."""
        return any(way.matches(path.removeprefix("/")) for way in self.ways)


@lru_cache(maxsize=4_096)
def pattern(text: str) -> Pattern:
    """Makes the pattern in a plain path ready."""
    ways: list[Glob] = []
    for way in _alternatives(text):
        parts = [part if part == "**" else re.sub(r"\*\*+", "*", part) for part in way.split("/")]
        whole = "/".join(parts)
        with suppress(ValueError):  # an alternative leads out of its folder
            ways.append(Glob.of(whole if "/" in whole.rstrip("/") else f"**/{whole}"))
    before = text[: min(at for sign in "*?{" if (at := text.find(sign)) >= 0)]
    return Pattern(tuple(ways), text.startswith("/"), before.rpartition("/")[0], text.count("*") + text.count("?"))


def _alternatives(text: str) -> list[str]:
    """The patterns that the braces of one stand for, in order."""
    done: list[str] = []
    waiting = [text]
    while waiting and len(done) < _WAYS:
        first = waiting.pop(0)
        found = _BRACES.search(first)
        if found is None:
            done.append(first)
        else:
            ways = [first[: found.start()] + way + first[found.end() :] for way in found[1].split(",", _WAYS)[:_WAYS]]
            waiting = [*ways, *waiting][:_WAYS]
    return [way for way in done if way.strip("/")]
