"""How much of a question a node shares, and how much it does not: whether the two are about the same thing.

Unlike a search score this compares between questions. Its numbers were measured on the dev half of the labelled set,
one changed at a time: the part of the answerable prompts that get a right lesson under a threshold so high that no
negative comes within a quarter of it. As they stand, that part is 0.751.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kg_core.policy.plainwords import is_plain
from kg_core.policy.text import Role

if TYPE_CHECKING:
    from collections.abc import Iterable

USUAL_SIZE: Final = 300
"""Nodes. A smaller memory does not tell rare words from common ones: it is taken for one of this size."""
_SHARED: Final = {
    Role.WORD: 1.0,
    Role.PART: 0.8,
    Role.SIGN: 2.0,
    Role.WHOLE: 1.0,
    Role.GRAM: 1.0,
    Role.SYLLABLES: 0.3,
    Role.LOOSE: 0.2,
    Role.LONE: 0.3,
    Role.NUMBER: 0.0,
}
"""What a shared term counts. A number says nothing alone (0.25 → 0.697). A whole identifier counts beside its parts
(0.5 → 0.732, 0 → 0.710). An emoji is chosen on purpose (1 → 0.740). Pairs of Han characters are mostly words (0.6 →
0.740). Syllables and what is loose or lone change nothing measurable; a long word must not count as many."""
_MISSING: Final = {Role.WORD: 0.8, Role.PART: 0.8, Role.SIGN: 0.8, Role.GRAM: 0.08, Role.SYLLABLES: 0.08}
"""What a term counts that the node does not have (words at 0.5 → 0.725, at 1.2 → 0.733). Most pairs of characters are
no words, but some are: at 0 → 0.581, at 0.3 → 0.746."""
_UNKNOWN: Final = 5.0
"""A word that no node has counts so many times: the question is about something else (1 → 0.606, 3 → 0.727, 8 → 0.748).
A part of an unknown identifier, or a word with digits in it, is a variable part of a message and counts nothing."""
_TELLING: Final = 100
"""Nodes. In a smaller memory nearly every word is unknown, and being so counts the less the smaller it is. The set is
too large to measure it: 100 changes nothing there, 200 lets one negative in."""
_PLAIN_SHARED: Final = 0.4
"""What an everyday word counts when it is shared (0.25 → 0.728, 0.6 → 0.642, 1 → 0.462)."""
_PLAIN_MISSING: Final = 0.7
"""What an everyday word counts when it is not (0.4 → 0.723, 1 → 0.738)."""
_ELSEWHERE: Final = 0.7
"""What a term counts that is shared with notes and touches only (0.5 → 0.746, 1 → 0.715)."""
_MOST_MISSING: Final = 3.0
"""What is missing counts at most so much: a long prompt may say a lot besides (2 → 0.720, 4 → 0.736, none → 0.622)."""
_STRICTNESS: Final = 2
"""The power of the shared part (1 → 0.676, 1.5 → 0.720, 3 → 0.704)."""


def rarity(frequency: int, size: int) -> float:
    """Inverse document frequency; above 0 even for a term that is everywhere."""
    return math.log1p((size - frequency + 0.5) / (frequency + 0.5))


def shared(term: str, role: Role, frequency: int, size: int) -> float:
    """What a term says that a question and a node share, in words that only one node has."""
    if role not in _SHARED:
        return 0.0
    return _SHARED[role] * _relative(frequency, size) * (_PLAIN_SHARED if is_plain(term) else 1.0)


def missing(term: str, role: Role, frequency: int, size: int) -> float:
    """What a term of the question says against a node that does not have it, in the same unit."""
    if role not in _MISSING:
        return 0.0
    value = _MISSING[role] * (_PLAIN_MISSING if is_plain(term) else 1.0)
    if frequency:
        return value * _relative(frequency, size)
    is_variable = role is Role.PART or any(character.isdigit() for character in term)
    return 0.0 if is_variable else value * (1 + (_UNKNOWN - 1) * min(1.0, size / _TELLING))


def strength(found: Iterable[tuple[float, bool]], lacking: float) -> float:
    """How much a node shares, in words that only one node has, less the smaller its part of the question is.

    ``found`` are the shared terms' values, each with whether the term is in the id, the gist or the tags; ``lacking``
    is the sum of what is missing.
    """
    common = sum(value if is_titled else value * _ELSEWHERE for value, is_titled in found)
    if common <= 0:
        return 0.0
    lacking = _MOST_MISSING * -math.expm1(-lacking / _MOST_MISSING)
    return common * (common / (common + lacking)) ** _STRICTNESS


def _relative(frequency: int, size: int) -> float:
    """The rarity of a term, as a part of that of a term that only one node has."""
    size = max(size, USUAL_SIZE)
    return rarity(frequency, size) / rarity(1, size)
