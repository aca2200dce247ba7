"""Long work in short steps, so that the event loop answers others in between."""

from __future__ import annotations

import asyncio
import heapq
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from kg_core.model.steps import Steps

SLICE: Final = 0.004
"""Seconds after which a long work lets others go first. One step of it must be short itself."""

_Item = TypeVar("_Item")


async def in_turns(steps: Steps[_Item]) -> _Item:
    """The result of ``steps``; whenever a slice of time is used up, others have their turn. Steps that never yield are
    one with what comes before and after them.
    """
    deadline = perf_counter() + SLICE
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: _Item = end.value
            return result
        if perf_counter() > deadline:
            await asyncio.sleep(0)
            deadline = perf_counter() + SLICE


async def in_slices(steps: Iterable[_Item]) -> AsyncIterator[_Item]:
    """The items of ``steps``; whenever a slice of time is used up, by the consumer too, others have their turn."""
    deadline = perf_counter() + SLICE
    for item in steps:
        yield item
        if perf_counter() > deadline:
            await asyncio.sleep(0)
            deadline = perf_counter() + SLICE


async def others_turn() -> None:
    """Lets others go first, between long works of which each may have used nearly all of its last slice."""
    await asyncio.sleep(0)


def batches(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """The items in lists of ``size``, the last one shorter."""
    batch: list[_Item] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


async def sorted_in_slices(items: Iterable[Any]) -> list[Any]:
    """What ``sorted`` returns, in short steps."""
    runs = [sorted(batch) async for batch in in_slices(batches(items, 2_000))]
    merged: list[Any] = []
    async for batch in in_slices(batches(heapq.merge(*runs), 500)):
        merged.extend(batch)
    return merged
