"""The garbage collector looks at each object a few times while it is young, and then lets it be."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import pytest

from kg_server.lifecycle import garbage

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 5_000


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The garbage collector as it was before."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.collect()  # how much this one leaves says when the next one may come
    yield
    if garbage._collected in gc.callbacks:
        gc.callbacks.remove(garbage._collected)
    gc.set_threshold(*thresholds)
    gc.unfreeze()


@pytest.fixture
def collections() -> Iterator[list[int]]:
    """The generations that were collected, in order."""
    found: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            found.append(info["generation"])

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


def is_watched(values: list[Any]) -> bool:
    watched = {id(value) for value in gc.get_objects()}
    return any(id(value) in watched for value in values)


async def worked(turns: int) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)


def test_what_survived_a_whole_collection_is_not_looked_at_by_the_next() -> None:
    garbage.keep_short()
    garbage.keep_short()
    kept = [[number] for number in range(1_000)]

    gc.collect()

    assert gc.callbacks.count(garbage._collected) == 1
    assert not is_watched(kept)


def test_a_whole_collection_comes_once_many_objects_have_grown_old(collections: list[int]) -> None:
    garbage.keep_short()
    kept = [[number] for number in range(4 * MANY)]

    assert 1 <= collections.count(2) <= 8
    assert len([value for value in kept if gc.is_tracked(value)]) == 4 * MANY
    assert len(gc.get_objects()) < 2 * MANY


def test_no_whole_collection_comes_when_what_is_made_is_let_go_of(collections: list[int]) -> None:
    garbage.keep_short()

    for _ in range(100):
        [[number] for number in range(1_000)]

    assert collections
    assert 2 not in collections


def test_what_takes_the_place_of_something_else_is_looked_at_between_the_turns_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(garbage, "_SPELL", 0.0)
    garbage.keep_short()
    kept = [[number] for number in range(4 * MANY)]
    gc.collect()
    sizes: list[int] = []

    async def scenario() -> None:
        for number in range(4 * MANY):
            kept[number] = [number, number]
            if number % 1_000 == 0:
                await asyncio.sleep(0)
                sizes.append(len(gc.get_objects()))

    with asyncio.Runner(loop_factory=garbage.new_loop) as runner:
        runner.run(scenario())

    assert max(sizes) < 2 * MANY


def test_a_loop_that_has_done_little_collects_nothing(collections: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_SPELL", 3_600.0)
    gc.disable()
    try:
        with asyncio.Runner(loop_factory=garbage.new_loop) as runner:
            runner.run(worked(100))
    finally:
        gc.enable()

    assert collections == []


def test_a_cycle_that_nobody_uses_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_SPELL", 0.0)
    freed: list[bool] = []

    class Cycle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            freed.append(True)

    garbage.keep_short()
    Cycle()

    with asyncio.Runner(loop_factory=garbage.new_loop) as runner:
        runner.run(worked(3))

    assert freed
