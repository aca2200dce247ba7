"""From text to terms, in any script: identifiers whole and in parts, n-grams where words are not separated."""

from __future__ import annotations

import re
import sys
import unicodedata
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST: Final = 64
"""Longer terms (hashes, pasted data) are no words anybody asks for."""
_JOINERS: Final = r"[._/\\:@-]+"
_SEPARATOR: Final = re.compile(_JOINERS)
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TURNS: Final = 2
"""So often digits and letters may take turns in an identifier; in a hash they do oftener."""
_APOSTROPHE: Final = re.compile(r"(?<=\w)['’](?=\w)")
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")
_PAIRS: Final = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_TRIPLES: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_RUN: Final = re.compile(f"(?P<pairs>[{_PAIRS}]+)|(?P<triples>[{_TRIPLES}]+)|[^{_PAIRS}{_TRIPLES}]+")


class Role(Enum):
    """What a term is in its text."""

    WORD = "word"
    """A word, or a part of an identifier."""
    WHOLE = "whole"
    """An identifier joined to one word, beside its parts."""
    GRAM = "gram"
    """Some neighbouring characters of a script that does not separate words."""
    SIGN = "sign"
    """An emoji or another sign."""
    SINGLE = "single"
    """One character of such a script, beside its grams."""


class Term(NamedTuple):
    """A term, ready to be compared, and its role."""

    text: str
    role: Role


def clean(text: str) -> str:
    """A text that Postgres takes: without NUL and halves of characters."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def terms(text: str) -> list[Term]:
    """The terms of a text in order, repeated ones repeated. NFKC and case folding make spellings equal."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", clean(text)))
    found: list[Term] = []
    for match in _chunk().finditer(_APOSTROPHE.sub("", text)):
        for run in _RUN.finditer(match.group()):
            if run["pairs"]:
                found += _grams(run.group(), 2)
            elif run["triples"]:
                found += _grams(run.group(), 3)
            else:
                found += _identifier(run.group())
    return found


def asked(text: str) -> list[Term]:
    """The distinct terms of a question, in order. Characters within a word are asked for by their grams alone."""
    found = {term.text: term for term in terms(text) if term.role is not Role.SINGLE}
    return list(found.values())


def has_sign(text: str) -> bool:
    """Whether a text has an emoji or another sign."""
    return any(term.role is Role.SIGN for term in terms(text))


def _identifier(chunk: str) -> Iterator[Term]:
    """A word, or an identifier joined and in parts: ``src/getUser`` gives ``srcgetuser``, ``src``, ``get`` …"""
    parts = [piece for part in _SEPARATOR.split(chunk) for piece in _pieces(part)]
    if len(parts) > 1:
        yield from _term("".join(parts), Role.WHOLE)
    for part in parts:
        yield from _term(part, Role.SIGN if len(part) == 1 and not part.isalnum() else Role.WORD)


def _pieces(part: str) -> Iterable[str]:
    """The parts of an identifier: humps, digits, what underscores separate."""
    words = [word for word in part.split("_") if word]
    for word in words:
        if word.isascii() and word.isalnum() and not (word.islower() and word.isalpha()):
            humps = _HUMPS.findall(word)
            yield from humps if sum(hump.isdigit() for hump in humps) <= _TURNS else [word]
        else:
            yield word


def _grams(run: str, size: int) -> Iterator[Term]:
    if len(run) <= size:
        yield from _term(run, Role.GRAM)
    else:
        for start in range(len(run) - size + 1):
            yield from _term(run[start : start + size], Role.GRAM)
    if len(run) > 1:
        for character in run:
            yield from _term(character, Role.SINGLE)


def _term(text: str, role: Role) -> Iterator[Term]:
    text = unicodedata.normalize("NFKC", text.casefold())
    if 0 < len(text) <= _LONGEST:
        yield Term(text, role)


@cache
def _chunk() -> re.Pattern[str]:
    """Runs of letters, marks and digits with what joins them, names such as ``c++``, and signs one by one."""
    letter = f"[\\w{_of_category('M')}]+"
    return re.compile(rf"[A-Za-z](?:\+\+|\#)(?!\w)|{letter}(?:{_JOINERS}{letter})*|[{_of_category('So')}]")


def _of_category(category: str) -> str:
    """All characters of a Unicode category, as ranges for a pattern."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)).startswith(category):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
