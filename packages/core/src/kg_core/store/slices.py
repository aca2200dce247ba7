"""Long work in short steps, so that the event loop answers others in between."""

from __future__ import annotations

import asyncio
import gc
import heapq
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

SLICE: Final = 0.004
"""Seconds after which a long work lets others go first. One step of it must be short itself."""

_Item = TypeVar("_Item")


def settle() -> None:
    """Take all objects of now out of the garbage collector's sight; they are still freed when the last user lets go.

    For values that are large, immutable and without cycles: looking through them again and again finds nothing and
    stops the loop for as long as it takes (150 ms for 10,000 nodes).
    """
    gc.freeze()


async def in_slices(steps: Iterable[_Item]) -> AsyncIterator[_Item]:
    """The items of ``steps``; whenever a slice of time is used up, by the consumer too, others have their turn."""
    deadline = perf_counter() + SLICE
    for item in steps:
        yield item
        if perf_counter() > deadline:
            await asyncio.sleep(0)
            deadline = perf_counter() + SLICE


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
