"""Work in small steps: a generator that yields between them and returns the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator

T = TypeVar("T")

SLICE: Final = 100
"""So many nodes are worked on in one step."""


def at_once(steps: Generator[None, None, T]) -> T:
    """The result of all steps, taken one after the other."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
