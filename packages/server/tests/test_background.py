"""Work beside all else: who goes first, and for whom it does not rest."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from kg_server.background import Background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TURNS = 20


@pytest.fixture(autouse=True)
def every_item_is_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_server.background._SLICE_SECONDS", 0.0)


async def turns() -> AsyncIterator[None]:
    for _ in range(TURNS):
        await asyncio.sleep(0)
        yield


async def work(background: Background, done: set[int]) -> None:
    async for number in background.through(range(5)):
        done.add(number)


def test_it_does_not_go_on_while_others_go_first_and_goes_on_behind_them() -> None:
    async def main() -> None:
        background, done = Background(), set[int]()
        with background.after():
            with background.after():
                working = asyncio.create_task(work(background, done))
                assert [len(done) async for _ in turns()][-1] == 1
            assert [len(done) async for _ in turns()][-1] == 1
        await working
        assert done == {0, 1, 2, 3, 4}

    asyncio.run(main())


def test_it_does_not_rest_for_others_when_somebody_waits_for_it() -> None:
    async def main() -> None:
        background, done = Background(), set[int]()
        with background.after():
            working = asyncio.create_task(work(background, done))
            await background.wait([working], None)
            assert done == {0, 1, 2, 3, 4}

    asyncio.run(main())


def test_others_that_fail_go_first_no_longer() -> None:
    async def main() -> None:
        background, done = Background(), set[int]()
        with pytest.raises(ValueError, match="no preload"), background.after():
            raise ValueError("no preload")
        await work(background, done)
        assert done == {0, 1, 2, 3, 4}

    asyncio.run(main())
