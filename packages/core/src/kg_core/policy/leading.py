"""The nodes that lead for some weighted terms, found without a look at every node that has a frequent one."""

from __future__ import annotations

import heapq
import math
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from kg_core.policy.postings import MOST_IMPACT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kg_core.policy.postings import Postings

_BLOCK: Final = 64
"""Of so many nodes the best one tells whether the others are looked at."""


class Wanted(NamedTuple):
    """A term, and what a point of its impact counts: a whole number, so that no order of adding changes a score."""

    term: str
    weight: int


def leading(postings: Postings, wanted: Iterable[Wanted], limit: float, unsure: Collection[int] = ()) -> dict[int, int]:
    """What nodes score: over the terms, the sum of weight times impact. Of those that lead, none is missing.

    The ``limit`` best lead, and all that equal the last of them. Others may be missing; a score that is given is whole.
    Nodes in ``unsure``, which may turn out to be no answer or to count less, hold no other back. No weight is below 0,
    and they sum up to 2²⁴ at most.
    """
    terms = list(wanted)
    scores = _leading(postings, [each for each in terms if each.weight], limit, unsure)
    silent = [term for term, weight in terms if not weight]
    if silent and sum(number not in unsure for number in scores) < limit:
        for term in silent:
            postings.score(term, 0, scores)
    return scores


def _leading(postings: Postings, wanted: Iterable[Wanted], limit: float, unsure: Collection[int]) -> dict[int, int]:
    """The same for terms that all count.

    Heavy terms, which are the rare ones, come first. Once no node that has none of them can lead any more, the rest is
    added to those that still can, and nobody reads the long lists of the frequent terms. As long as such a node may
    lead, frequent terms are added up for all nodes at once.
    """
    terms = sorted(wanted, key=lambda each: (postings.is_frequent(each.term), -each.weight))
    ahead = [MOST_IMPACT * rest for rest in accumulate((each.weight for each in reversed(terms)), initial=0)][::-1]
    scores: dict[int, int] = {}
    least = -math.inf
    for place, ((term, weight), most) in enumerate(zip(terms, ahead, strict=False)):
        if most >= least and 2 * most < ahead[0] and len(scores) >= limit:
            least = _least(scores, int(limit), unsure)
        if most < least:
            scores = {number: score for number, score in scores.items() if score + most >= least}
            postings.deepen(term, weight, scores)
        elif postings.is_frequent(term):
            return _best(postings.totals(terms[place:], scores), limit, unsure)
        else:
            postings.score(term, weight, scores)
    return scores


def _least(scores: Mapping[int, int], limit: int, unsure: Collection[int]) -> float:
    """What the last of those that lead so far scores."""
    sure = [score for number, score in scores.items() if number not in unsure] if unsure else scores.values()
    best = heapq.nlargest(limit, sure)
    return best[-1] if best and len(best) == limit else -math.inf


def _best(totals: list[int], limit: float, unsure: Collection[int]) -> dict[int, int]:
    """The same, from what all nodes score by number: no leader is below the tops of the ``limit`` best blocks."""
    sure = totals.copy() if unsure else totals
    for number in unsure:
        if number < len(sure):
            sure[number] = 0
    tops = _tops(sure)
    least = max(1, heapq.nlargest(int(limit), tops)[-1]) if 0 < limit <= len(tops) else 1
    return {
        number: score
        for block, top in enumerate(_tops(totals) if unsure else tops)
        if top >= least
        for number, score in enumerate(totals[block * _BLOCK : (block + 1) * _BLOCK], block * _BLOCK)
        if score >= least
    }


def _tops(totals: list[int]) -> list[int]:
    return [max(totals[start : start + _BLOCK]) for start in range(0, len(totals), _BLOCK)]
