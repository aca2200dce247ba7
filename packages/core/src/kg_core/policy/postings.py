"""Which nodes of one graph have which terms: compact, and changed one node at a time."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BITS: Final = 9
MOST_IMPACT: Final = 0xFF
"""No impact is larger."""
TITLED: Final = 0x100
"""The mark of a term that a node has in its id, gist or tags, beside the impact of 1–255."""
_LOOKING_UP: Final = 8
"""To look one node up takes as long as to read so many entries."""

_Posting: TypeAlias = "int | array[int]"
"""Entries in the order of numbers; a lone one, as most terms have, is kept without an array."""


class Postings:
    """An entry for each term of each node, in 32 bits: the node's number (below eight millions), the mark, the impact.

    Adding and taking out a node costs its terms, and for each a search in a sorted array.
    """

    def __init__(self) -> None:
        self._of: dict[str, _Posting] = {}

    def add(self, number: int, impacts: Mapping[str, int]) -> None:
        """Enters the terms of a node that has none here, each with its impact and mark."""
        postings = self._of
        shifted = number << _BITS
        for term, impact in impacts.items():
            entry = shifted | impact
            posting = postings.get(term)
            if posting is None:
                postings[term] = entry
            elif isinstance(posting, int):
                postings[term] = array("I", sorted((posting, entry)))
            elif entry > posting[-1]:
                posting.append(entry)
            else:
                insort(posting, entry)

    def remove(self, number: int, terms: Iterable[str]) -> None:
        """Takes out the terms of a node, all of which it has."""
        for term in terms:
            posting = self._of[term]
            if isinstance(posting, int):
                del self._of[term]
                continue
            del posting[bisect_left(posting, number << _BITS)]
            if len(posting) == 1:
                self._of[term] = posting[0]

    def frequency(self, term: str) -> int:
        """How many nodes have a term."""
        posting = self._of.get(term, ())
        return 1 if isinstance(posting, int) else len(posting)

    def score(self, term: str, weight: int, scores: dict[int, int]) -> None:
        """Adds ``weight`` times the term's impact to the score of each node that has it."""
        if not scores:
            scores.update({entry >> _BITS: weight * (entry & MOST_IMPACT) for entry in self._entries(term)})
            return
        known = scores.get
        for entry in self._entries(term):
            number = entry >> _BITS
            scores[number] = known(number, 0) + weight * (entry & MOST_IMPACT)

    def deepen(self, term: str, weight: int, scores: dict[int, int]) -> None:
        """As :meth:`score`, for the nodes that have one already: few are looked up, for many all entries are read."""
        entries = self._entries(term)
        if len(scores) * _LOOKING_UP < len(entries):
            for number in scores:
                scores[number] += weight * (self.impact(term, number) & MOST_IMPACT)
            return
        for entry in entries:
            number = entry >> _BITS
            if number in scores:
                scores[number] += weight * (entry & MOST_IMPACT)

    def impact(self, term: str, number: int) -> int:
        """The impact and mark of a term on a node; 0 when the node does not have it."""
        entries = self._entries(term)
        place = bisect_left(entries, number << _BITS)
        if place == len(entries) or entries[place] >> _BITS != number:
            return 0
        return entries[place] & (TITLED | MOST_IMPACT)

    def _entries(self, term: str) -> array[int] | tuple[int, ...]:
        posting = self._of.get(term, ())
        return (posting,) if isinstance(posting, int) else posting
