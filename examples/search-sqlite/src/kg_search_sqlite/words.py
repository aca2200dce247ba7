"""From text to terms, in any script. A term holds letters, marks, digits and underscores, and nothing else."""

from __future__ import annotations

import itertools
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNSPACED: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x9FFF),  # Han
    (0xAC00, 0xD7AF),  # Hangul
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Scripts that put no space between words, or glue particles to them: their terms are pairs of neighbours."""


def terms(text: str) -> list[str]:
    """The terms of a text that is kept, in order. Spellings that differ in case or form give the same."""
    return [term for run in _runs(text) for term in (_kept(run) if _unspaced(run[0]) else [run])]


def asked(text: str) -> list[str]:
    """The distinct terms that a question asks for: of an unspaced run its pairs, and a lone character as it is."""
    found = [term for run in _runs(text) for term in (_pairs(run) or [run] if _unspaced(run[0]) else [run])]
    return list(dict.fromkeys(found))


def sound(text: str) -> str:
    """The text as SQLite can keep it: without halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _runs(text: str) -> Iterator[str]:
    """Runs of word characters, cut where a script that has spaces meets one that has none."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", sound(text)).casefold())
    for inside, group in itertools.groupby(folded, _is_word):
        if inside:
            for _, run in itertools.groupby(group, _unspaced):
                yield "".join(run)


def _is_word(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def _unspaced(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _UNSPACED)


def _pairs(run: str) -> list[str]:
    return [first + second for first, second in itertools.pairwise(run)]


def _kept(run: str) -> list[str]:
    """Pairs, and the characters by themselves, so that a question of a single one is answered too."""
    return [*_pairs(run), *run]
