"""What a caller is told to be saved is on the disk, also when it was another call's write."""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]


class HeldDisk:
    """A journal whose next batch waits for the test, and then fails or is written."""

    def __init__(self, store: Any) -> None:
        self._disk = store._disk
        self._write = store._disk.journal
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()
        self.fails = False
        store._disk.journal = self._next

    async def _next(self, job: Any) -> Any:
        self.reached.set()
        await self.go_on.wait()
        self._disk.journal = self._write
        if self.fails:
            raise OSError(errno.ENOSPC, "No space left on device", "/memory/journal")
        return await self._write(job)


SAME = {
    "a lesson": ("kg_put_node", {"level": "project", "id": "cache-key", "gist": "Keys include the tenant."}),
    "a relation": ("kg_put_edge", {"from_": "first-node", "rel": "guards", "to": "src/a.py"}),
    "an endorsement": ("kg_useful", {"ids": ["first-node"]}),
}


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize(("tool", "arguments"), SAME.values(), ids=SAME)
def test_a_repeated_write_is_answered_only_once_the_first_is_on_disk(
    live: Live, tool: str, arguments: dict[str, Any], fails: bool
) -> None:
    async def scenario(world: Any) -> None:
        writer = world.agent("s-1")
        await writer.put("first-node", "There from the beginning.")
        disk = HeldDisk(world.service._memory.store)
        disk.fails = fails
        first = asyncio.create_task(writer.reply(tool, **arguments))
        await disk.reached.wait()
        again = asyncio.create_task(writer.reply(tool, **arguments))
        for _ in range(20):
            await asyncio.sleep(0)
        is_early = again.done()
        disk.go_on.set()
        assert not is_early
        assert (await first).is_error is fails
        told = await again
        durable = world.service._memory.durable("project:shop")
        if tool == "kg_put_node":
            assert "cache-key" in durable.nodes
        elif tool == "kg_put_edge":
            assert durable.edges
        else:
            assert durable.use_of("first-node").stamps
        assert ("nothing was written" in told.text or "already" in told.text) is not fails

    live(scenario)


def test_a_disk_that_refuses_everything_is_told_to_whoever_repeats_a_write(live: Live) -> None:
    async def scenario(world: Any) -> None:
        store = world.service._memory.store
        writer = world.agent("s-1")
        await writer.put("first-node", "There from the beginning.")
        write = store._disk.journal

        async def refuse(job: Any) -> None:
            await asyncio.sleep(0)
            raise OSError(errno.ENOSPC, "No space left on device", "/memory/journal")

        store._disk.journal = refuse
        put = {"level": "project", "id": "cache-key", "gist": "Keys include the tenant."}
        replies = await asyncio.gather(*(writer.reply("kg_put_node", **put) for _ in range(5)))
        assert all(reply.is_error for reply in replies)
        assert all("Not saved" in reply.text for reply in replies)
        store._disk.journal = write
        assert "Saved" in await writer.put("cache-key", "Keys include the tenant.")

    live(scenario)


def test_health_names_the_graphs_whose_files_lag_behind_the_journal(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.agent("s-1").put("first-node", "Not in its file yet.", level="user")
        lagging = world.service.health()["unsnapshotted"]
        await world.service._memory.store.snapshot()

        assert lagging == ["user"]
        assert world.service.health()["unsnapshotted"] == []

    live(scenario)
