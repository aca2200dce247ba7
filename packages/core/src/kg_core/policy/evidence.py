"""How much of a question a node shares, and how much it does not: whether the two are about the same thing.

Unlike a search score this compares between questions. Its numbers are few and round, and each was chosen for a wide
margin between the strongest prompt that should bring nothing and the threshold, on the dev half of the labelled set
and on a training set of some 1,000 prompts of which most should: ``docs/decisions/how-the-gate-was-chosen.md``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from kg_core.policy.plainwords import is_plain, plain_words
from kg_core.policy.quotations import Rows
from kg_core.policy.stems import stem
from kg_core.policy.text import Role, is_stop, terms
from kg_core.policy.usualwords import is_usual, usual_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from kg_core.policy.text import Term

USUAL_SIZE: Final = 300
"""Nodes. A smaller memory does not tell rare words from common ones: it is taken for one of this size."""
_SHARED: Final = {
    Role.WORD: 1.0,
    Role.PART: 0.8,
    Role.SIGN: 2.5,
    Role.WHOLE: 1.0,
    Role.GRAM: 1.0,
    Role.SYLLABLES: 0.3,
    Role.LOOSE: 0.3,
}
"""What a shared term counts. A whole identifier counts beside its parts. An emoji is chosen on purpose. Syllables
change little, so that a long word does not count as many. A number, or a character that stands alone, says
nothing."""
_MISSING: Final = {Role.WORD: 0.7, Role.PART: 0.7, Role.SIGN: 0.7, Role.GRAM: 0.15, Role.SYLLABLES: 0.15}
"""What a term counts that the node does not have. Most pairs of characters are no words, but some are."""
_UNKNOWN: Final = 6.0
"""A word that no node has counts so many times: the question is about something else. A part of an unknown identifier,
or a word with digits in it, is a variable part of a message and counts nothing. One with letters that English lacks
counts once: a memory has few words of its language, and their endings are known less well."""
_TELLING: Final = 100
"""Nodes. In a smaller memory nearly every word is unknown, and being so counts the less the smaller it is."""
_PLAIN: Final = 0.3
"""What a plain word counts when it is shared: everybody uses it for everything."""
_USUAL: Final = 0.5
"""What a usual word counts when it is shared."""
_COMMON_MISSING: Final = 0.5
"""What a plain or usual word counts when it is not."""
_SOFTNESS: Final = 0.5
"""The power of the rarity of what is shared: a word of a few lessons tells nearly as much as a word of one."""
_NOTED: Final = 0.7
"""What a term counts that is shared with notes and touches only."""
_PHRASE: Final = 1.25
"""What a term counts that stands beside another shared one in both texts: scattered words are often there by chance."""
_FOLLOWING: Final = 0.25
"""What a pair of characters counts that overlaps with the one before: three characters are no two words."""
_MOST_MISSING: Final = 3.0
"""What is missing counts at most so much: a long prompt may say a lot besides."""
_STRICTNESS: Final = 2
"""The power of the shared part."""
_QUOTED: Final = 0.6
"""What each word in a row counts beyond the second that a question repeats from a quotation of the title."""
_SUPPORT: Final = 1.0
"""So much must be shared beside the strongest word for all to count: one word alone is a coincidence. An emoji, an
identifier or a repeated quotation needs none."""
_STEP: Final = 200
"""Words whose stems are worked out at a time: about a millisecond."""
_TIED: Final = re.compile(r"(?<![\w.-])[A-Za-z]+(?:[.-][A-Za-z]+)+(?![\w-])")
_NUMERALS: Final = frozenset("〇零一二三四五六七八九十百千万億亿兆両两")
"""A pair of characters with one of these is a number and says nothing alone, as digits do."""
_IN_ORDER: Final = (Role.WORD, Role.PART, Role.SIGN, Role.NUMBER)
_NAMES: Final = (Role.SIGN, Role.WHOLE)
_OVERLAPPING: Final = (Role.GRAM, Role.SYLLABLES, Role.LOOSE)


class Match(NamedTuple):
    """A term that a question and a node share, what that says alone, and whether the node's title has it."""

    text: str
    role: Role
    value: float
    is_titled: bool


def rarity(frequency: int, size: int) -> float:
    """Inverse document frequency; above 0 even for a term that is everywhere."""
    return math.log1p((size - frequency + 0.5) / (frequency + 0.5))


def know_words() -> Iterator[None]:
    """Works out the stems of the common words in small steps; the first question would else do so in one long step."""
    words = [*plain_words(), *usual_words()]
    for start in range(0, len(words), _STEP):
        for word in words[start : start + _STEP]:
            stem(word)
        yield
    _is_common("")


def shared(term: str, role: Role, frequency: int, size: int) -> float:
    """What a term says that a question and a node share, in words that only one node has."""
    if role not in _SHARED:
        return 0.0
    common = 0.0 if _NUMERALS.intersection(term) else _PLAIN if is_plain(term) else _USUAL if is_usual(term) else 1.0
    return _SHARED[role] * math.pow(_relative(frequency, size), _SOFTNESS) * common


def missing(term: str, role: Role, frequency: int, size: int) -> float:
    """What a term of the question says against a node that does not have it, in the same unit."""
    if role not in _MISSING:
        return 0.0
    value = _MISSING[role] * (_COMMON_MISSING if is_plain(term) or is_usual(term) else 1.0)
    if frequency:
        return value * _relative(frequency, size)
    if role is Role.PART or any(character.isdigit() for character in term):
        return 0.0
    return value * (1 + (_UNKNOWN - 1) * min(1.0, size / _TELLING)) if term.isascii() else value


@dataclass(frozen=True, slots=True)
class Wording:
    """How a question puts its terms: which stand beside each other but for stop words, in both orders, which are no
    identifiers but common words tied with hyphens, as *read-only*, and its words in rows.
    """

    beside: frozenset[tuple[str, str]]
    tied: frozenset[str]
    rows: Rows

    @classmethod
    def of(cls, text: str) -> Wording:
        """Looks at the text of a question."""
        pairs = list(pairwise(_in_order(terms(text))))
        backwards = [(second, first) for first, second in pairs]
        tied = (_tied(found[0]) for found in _TIED.finditer(text)) if "-" in text or "." in text else ()
        return cls(beside=frozenset(pairs + backwards), tied=frozenset(chain.from_iterable(tied)), rows=Rows.of(text))


def strength(matches: Sequence[Match], lacking: float, title: Sequence[str], wording: Wording) -> float:
    """How much a node shares, in words that only one node has, less the smaller its part of the question is.

    ``matches`` are the shared terms in the order of the question, ``lacking`` is the sum of what is missing, ``title``
    are the texts of the node's title.
    """
    phrases = _phrases({match.text for match in matches if match.value and match.is_titled}, title, wording)
    values = [
        match.value
        * (1.0 if match.is_titled else _NOTED)
        * (_PHRASE if match.text in phrases else 1.0)
        * (_USUAL if match.text in wording.tied else 1.0)
        for match in matches
    ]
    for place, (before, match) in enumerate(pairwise(matches), 1):
        is_chain = before.role in _OVERLAPPING and match.role in _OVERLAPPING
        if is_chain and before.text[1:] == match.text[:-1]:
            values[place] *= _FOLLOWING
    common = sum(values)
    if common <= 0:
        return 0.0
    lacking = _MOST_MISSING * -math.expm1(-lacking / _MOST_MISSING)
    beside = (common - max(values)) / _SUPPORT
    quoted = wording.rows.repeated(title)
    support = 1.0 if quoted or beside >= 1.0 or _is_named(matches, title, wording) else beside
    common += _QUOTED * max(0, quoted - 2)
    return common * (common / (common + lacking)) ** _STRICTNESS * support


def _relative(frequency: int, size: int) -> float:
    """The rarity of a term, as a part of that of a term that only one node has."""
    size = max(size, USUAL_SIZE)
    return rarity(frequency, size) / rarity(1, size)


@lru_cache(maxsize=1_024)
def _title_terms(text: str) -> tuple[Term, ...]:
    """The terms of a text of a title. Two looks are taken at it, and hits of one prompt are often hits of the next."""
    return tuple(terms(text))


def _in_order(found: Iterable[Term]) -> Iterator[str]:
    return (term.text for term in found if term.role in _IN_ORDER and not is_stop(term.text))


def _tied(compound: str) -> Iterable[str]:
    """The joined form of words tied with hyphens, if all are common."""
    found = terms(compound)
    is_common = all(_is_common(term.text) for term in found if term.role is not Role.WHOLE)
    return [term.text for term in found if term.role is Role.WHOLE and is_common]


def _is_common(term: str) -> bool:
    return is_stop(term) or is_plain(term) or is_usual(term)


def _phrases(titled: AbstractSet[str], title: Iterable[str], wording: Wording) -> AbstractSet[str]:
    """The terms that stand beside another one in the title as in the question, of those that both have."""
    asked = {pair for pair in wording.beside if titled >= set(pair)}
    if not asked:
        return frozenset()
    return {
        term for text in title for pair in pairwise(_in_order(_title_terms(text))) if pair in asked for term in pair
    }


def _is_named(matches: Sequence[Match], title: Sequence[str], wording: Wording) -> bool:
    """Whether the question names something by an emoji or an identifier, be it joined to one word."""
    uncommon = [match for match in matches if not _is_common(match.text) and match.text not in wording.tied]
    if any(match.role in _NAMES for match in uncommon):
        return True
    words = {match.text for match in uncommon if match.role is Role.WORD and match.is_titled}
    joined = {word for word in words if not any(word in text or word.capitalize() in text for text in title)}
    return bool(joined) and any(
        term.role is Role.WHOLE and term.text in joined for text in title for term in _title_terms(text)
    )
