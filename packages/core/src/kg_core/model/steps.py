"""Work in small steps: a generator that yields between them and returns the result."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

T = TypeVar("T")
Steps: TypeAlias = "Generator[None, None, T]"

SLICE: Final = 100
"""So many nodes are worked on in one step."""
MANY: Final = 2_000
"""So many nodes are looked at in one step where little is done with each, and so many values sorted."""


def at_once(steps: Steps[T]) -> T:
    """The result of all steps, taken one after the other."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def sorted_steps(values: Iterable[Any]) -> Steps[list[Any]]:
    """What ``sorted`` returns. A step sorts a run of values, or brings two sorted runs together."""
    waiting = iter(values)
    runs: list[list[Any]] = []
    while run := sorted(islice(waiting, MANY)):
        runs.append(run)
        if len(run) == MANY:
            yield
    while len(runs) > 1:
        merged: list[list[Any]] = []
        for number in range(0, len(runs), 2):
            both = [value for run in runs[number : number + 2] for value in run]
            both.sort()  # one comparison for each value, as both halves are in order
            merged.append(both)
            yield
        runs = merged
    return runs[0] if runs else []


def freed_steps(*lists: list[Any]) -> Steps[None]:
    """Empties lists that nobody else has, in small steps: to free many values at once would be a long one."""
    for values in lists:
        while values:
            del values[-MANY:]
            yield
