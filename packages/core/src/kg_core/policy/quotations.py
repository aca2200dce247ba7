"""What lessons quote word for word, messages and commands mostly, and how much of it a question repeats.

Everyday words in the very order of a message are no coincidence, as *too many open files* is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from kg_core.policy.text import is_stop

if TYPE_CHECKING:
    from collections.abc import Iterable

TELLING: Final = 3
"""Words in a row that tell; of a shorter quotation, all of it."""
_LEAST: Final = 2
_QUOTED: Final = re.compile(r"`([^`]{3,300})`|\"([^\"]{3,300})\"|“([^”]{3,300})”|«([^»]{3,300})»")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Rows:
    """The words of a question, as rows of two and of three."""

    pairs: frozenset[tuple[str, ...]] = frozenset()
    triples: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def of(cls, text: str) -> Rows:
        """Looks at the text of a question."""
        words = _words(text)
        return cls(frozenset(pairwise(words)), frozenset(_triples(words)))

    def repeated(self, texts: Iterable[str]) -> int:
        """How many words in a row the question repeats of the best quotation in one of the texts: 0, or from
        :data:`TELLING` on. A quotation of two words counts as three.
        """
        return max((self._repeated(quotation) for text in texts for quotation in _quotations(text)), default=0)

    def _repeated(self, quotation: tuple[str, ...]) -> int:
        if len(quotation) == _LEAST:
            return TELLING if quotation in self.pairs else 0
        longest = row = 0
        for triple in _triples(quotation):
            row = row + 1 if triple in self.triples else 0
            longest = max(longest, row)
        return longest + TELLING - 1 if longest else 0


@lru_cache(maxsize=1_024)
def _quotations(text: str) -> tuple[tuple[str, ...], ...]:
    """The quotations of two words and more, without those of stop words and numbers alone."""
    found = (_words(next(filter(None, match.groups()))) for match in _QUOTED.finditer(text))
    return tuple(words for words in found if len(words) >= _LEAST and not all(map(_says_nothing, words)))


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _triples(words: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """Three words each, but for those of stop words and numbers alone."""
    return (row for row in zip(words, words[1:], words[2:], strict=False) if not all(map(_says_nothing, row)))


def _says_nothing(word: str) -> bool:
    return len(word) == 1 or word.isdigit() or is_stop(word)
