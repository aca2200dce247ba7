"""Which nodes of one graph have which terms: compact, and changed one node at a time."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Final, TypeAlias

from kg_core.policy.columns import Column, added

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_BITS: Final = 9
MOST_IMPACT: Final = 0xFF
"""No impact is larger."""
TITLED: Final = 0x100
"""The mark of a term that a node has in its id, gist or tags, beside the impact of 1–255."""
_LOOKING_UP: Final = 8
"""To look one node up takes as long as to read so many entries."""

_MANY: Final = 500
_SPREAD: Final = 8
"""A term is frequent that at least so many nodes have, and one in so many. To add a column of all nodes up takes about
as long as to read the entries of one in twelve."""

_Posting: TypeAlias = "int | array[int]"
"""Entries in the order of numbers; a lone one, as most terms have, is kept without an array."""


class Postings:
    """An entry for each term of each node, in 32 bits: the node's number (below eight millions), the mark, the impact.

    Adding and taking out a node costs its terms, and for each a search in a sorted array. A frequent term has a column
    too, a byte for each node, from a while after it became frequent or from when it is asked for, as long as it is.
    """

    def __init__(self) -> None:
        self._of: dict[str, _Posting] = {}
        self._columns: dict[str, Column] = {}

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
                if not len(posting) % _MANY:
                    self._settle(term)
            else:
                insort(posting, entry)
        columns = self._columns
        for term in columns.keys() & impacts.keys():
            column = columns[term]
            if number >= len(column):
                column.extend(bytes(number + 1 - len(column)))
            column[number] = impacts[term] & MOST_IMPACT

    def remove(self, number: int, terms: Collection[str]) -> None:
        """Takes out the terms of a node, all of which it has."""
        for term in terms:
            posting = self._of[term]
            if isinstance(posting, int):
                del self._of[term]
                continue
            del posting[bisect_left(posting, number << _BITS)]
            if len(posting) == 1:
                self._of[term] = posting[0]
        for term in self._columns.keys() & terms:
            self._columns[term][number] = 0
            if not self.is_frequent(term):
                del self._columns[term]

    def frequency(self, term: str) -> int:
        """How many nodes have a term."""
        posting = self._of.get(term, ())
        return 1 if isinstance(posting, int) else len(posting)

    def is_frequent(self, term: str) -> bool:
        """Whether so many nodes have a term that a column of it is read sooner than its entries."""
        posting = self._of.get(term, 0)
        return not isinstance(posting, int) and len(posting) >= max(_MANY, (posting[-1] >> _BITS) / _SPREAD)

    def totals(self, wanted: Iterable[tuple[str, int]], scores: Mapping[int, int]) -> list[int]:
        """By number, what each node scores: ``scores``, and the sum of weight times impact over frequent terms.

        It is 0 for a node, or for a number of none, that has nothing. The weights sum up to 2²⁴ at most.
        """
        totals = added([(self._column(term), weight) for term, weight in wanted])
        totals += [0] * (max(scores, default=0) + 1 - len(totals))
        for number, score in scores.items():
            totals[number] += score
        return totals

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
        """As :meth:`score`, for the nodes that have one already: few are looked up, for many all entries are read, and
        the column of a frequent term.
        """
        if self.is_frequent(term):
            column = self._column(term)
            for number in scores:
                if number < len(column):
                    scores[number] += weight * column[number]
            return
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

    def _column(self, term: str) -> Column:
        column = self._columns.get(term)
        if column is None:
            entries = self._entries(term)
            column = self._columns[term] = bytearray((entries[-1] >> _BITS) + 1)
            for entry in entries:
                column[entry >> _BITS] = entry & MOST_IMPACT
        return column

    def _settle(self, term: str) -> None:
        """Gives a term its column or takes it, by how frequent it has become.

        Without this the first question with many frequent terms would wait for all of their columns.
        """
        if self.is_frequent(term):
            self._column(term)
        else:
            self._columns.pop(term, None)

    def _entries(self, term: str) -> array[int] | tuple[int, ...]:
        posting = self._of.get(term, ())
        return (posting,) if isinstance(posting, int) else posting
