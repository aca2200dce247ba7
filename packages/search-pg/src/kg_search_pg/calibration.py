"""At which distance a model tells the same from something else: measured on the memory itself. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST: Final = 20
"""Fewer pairs measure nothing."""
_MARGIN: Final = 0.9
"""The part of the smallest distance to something else that a gate leaves: questions come that nobody has seen."""
_WORTH: Final = 0.05
"""A gate that lets less than this part of what is right through is not worth having."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question made of a case: how far it is from its own lesson, and from the nearest other one."""

    own: float
    other: float


def gate(pairs: Sequence[Pair]) -> float:
    """The largest distance at which no question met a lesson of something else, with a margin; 0: there is none."""
    if len(pairs) < LEAST:
        return 0.0
    found = round(min(pair.other for pair in pairs) * _MARGIN, 4)
    passed = sum(pair.own <= found for pair in pairs)
    return found if passed >= _WORTH * len(pairs) else 0.0


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Smallest, tenth, median, ninetieth and largest."""
    ordered = sorted(values)
    places = {"least": 0.0, "p10": 0.1, "median": 0.5, "p90": 0.9, "most": 1.0}
    return {name: round(ordered[round(place * (len(ordered) - 1))], 4) for name, place in places.items() if ordered}
