"""The nodes that lead for some weighted terms, found without a look at every node that has a frequent one."""

from __future__ import annotations

import heapq
import math
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from kg_core.policy.postings import MOST_IMPACT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kg_core.policy.postings import Postings


class Wanted(NamedTuple):
    """A term, and what a point of its impact counts: a whole number, so that no order of adding changes a score."""

    term: str
    weight: int


def leading(postings: Postings, wanted: Iterable[Wanted], limit: float, unsure: Collection[int] = ()) -> dict[int, int]:
    """What nodes score: over the terms, the sum of weight times impact. Of those that lead, none is missing.

    The ``limit`` best lead, and all that equal the last of them. Others may be missing; a score that is given is whole.
    Nodes in ``unsure``, which may turn out to be no answer or to count less, hold no other back.

    Heavy terms, which are the rare ones, come first. Once no node that has none of them can lead any more, the rest is
    added to those that still can, and nobody reads the long lists of the frequent terms.
    """
    terms = sorted(wanted, key=lambda each: -each.weight)
    ahead = [MOST_IMPACT * rest for rest in accumulate((each.weight for each in reversed(terms)), initial=0)][::-1]
    scores: dict[int, int] = {}
    least = -math.inf
    for (term, weight), most in zip(terms, ahead, strict=False):
        if most >= least and 2 * most < ahead[0] and len(scores) >= limit:
            least = _least(scores, int(limit), unsure)
        if most >= least:
            postings.score(term, weight, scores)
        else:
            scores = {number: score for number, score in scores.items() if score + most >= least}
            postings.deepen(term, weight, scores)
    return scores


def _least(scores: Mapping[int, int], limit: int, unsure: Collection[int]) -> float:
    """What the last of those that lead so far scores."""
    sure = [score for number, score in scores.items() if number not in unsure] if unsure else scores.values()
    best = heapq.nlargest(limit, sure)
    return best[-1] if best and len(best) == limit else -math.inf
