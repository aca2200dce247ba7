"""What the server rests on when it keeps a backend at what is durable, and asks it while somebody waits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import SearchResults, SearchUnavailable, SupportsSimilarity
from kg_plugin_testing.opened import OpenedBackend, ask, ids, item

if TYPE_CHECKING:
    from kg_plugin_api import SearchBackend
    from kg_plugin_testing.opened import Open

_BATCH: Final = 200
"""So many items the server tells in one call."""
_GRACE: Final = 3.0
"""Seconds; a search that has not ended by then has no idea of its budget."""
_HELD: Final = 0.5
"""Seconds. The server answers every agent of the machine from one loop."""
_TRIES: Final = 3
"""Other work on this machine may hold the loop once, hardly thrice."""


class FollowingContract(OpenedBackend):
    """The clauses about being told, compared and asked."""

    def test_twice_equals_once(self, open_backend: Open) -> None:
        """After an outage the server tells again what it may have told before."""

        async def script(backend: SearchBackend) -> None:
            told = [item("one", "ledger"), item("two", "ledger harbour")]
            await backend.upsert(told)
            once = await backend.search(ask("ledger harbour"))
            await backend.upsert(told)
            assert await backend.search(ask("ledger harbour")) == once
            assert len(await backend.snapshot()) == 2

        self.run(open_backend, script)

    def test_a_snapshot_has_every_key_with_its_hash_as_told(self, open_backend: Open) -> None:
        """Of all graphs, tiers and standings. What it leaves out is told for ever, and what it makes up is removed."""

        async def script(backend: SearchBackend) -> None:
            told = [
                item("one", "ledger", hash="7:active:current"),
                item("one", "ledger", graph="p/harbour", hash="部署 ÿ '\""),
                item("old", "ledger", tier="archived", hash=""),
                item("wrong", "ledger", status="retracted", hash="0"),
                item("empty", "", hash="7:active:current"),
            ]
            await backend.upsert(told)
            assert dict(await backend.snapshot()) == {each.key: each.hash for each in told}

        self.run(open_backend, script)

    def test_a_change_of_standing_alone_is_taken_up(self, open_backend: Open) -> None:
        """A lesson is archived or retracted without a word of it changing."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("one", "ledger", hash="1")])
            await backend.upsert([item("one", "ledger", tier="archived", status="superseded", hash="2")])
            assert ids(await backend.search(ask("ledger", tiers=("active",)))) == []
            assert ids(await backend.search(ask("ledger", tiers=("archived",), statuses=("superseded",)))) == ["one"]
            assert list((await backend.snapshot()).values()) == ["2"]

        self.run(open_backend, script)

    def test_calls_may_overlap(self, open_backend: Open) -> None:
        """Agents ask while lessons are told; nothing is lost, and no search fails."""

        async def script(backend: SearchBackend) -> None:
            names = [f"n{number}" for number in range(12)]
            await asyncio.gather(
                *(backend.upsert([item(name, "ledger")]) for name in names),
                *(backend.search(ask("ledger")) for _ in names),
                backend.remove(["user\x1fnever"]),
            )
            assert sorted(ids(await backend.search(ask("ledger", limit=50)))) == sorted(names)
            assert len(await backend.snapshot()) == len(names)

        self.run(open_backend, script)

    def test_a_search_knows_its_budget(self, open_backend: Open) -> None:
        """It ends with hits, or says by TimeoutError or SearchUnavailable that time did not suffice."""

        async def script(backend: SearchBackend) -> None:
            await backend.upsert([item("one", "ledger")])
            for budget in (0.0, 0.05):
                search: asyncio.Task[Any] = asyncio.ensure_future(backend.search(ask("ledger", budget=budget)))
                done, _ = await asyncio.wait([search], timeout=_GRACE)
                search.cancel()
                assert done, f"a search with {budget} s has not ended after {_GRACE} s"
                failure = search.exception()
                assert failure is None or isinstance(failure, TimeoutError | SearchUnavailable), repr(failure)
                assert failure is not None or isinstance(search.result(), SearchResults)

        self.run(open_backend, script)

    def test_it_leaves_the_loop_to_others(self, open_backend: Open) -> None:
        """What blocks belongs into a thread: every agent of the machine waits for this loop."""

        async def script(backend: SearchBackend) -> None:
            told = [item(f"n{number:03}", "ledger harbour", notes=("kettle " * 30,)) for number in range(_BATCH)]
            held = float("inf")
            for _ in range(_TRIES):
                async with _Watched() as watched:
                    await backend.upsert(told)
                    await backend.search(ask("kettle"))
                    await backend.snapshot()
                held = min(held, watched.longest)
                if held < _HELD:
                    break
            assert held < _HELD, f"the loop was held for {held:.1f} s"

        self.run(open_backend, script)

    def test_what_is_alike_is_something_else(self, open_backend: Open) -> None:
        """Of a backend that offers it: an item is not like itself, and a group is of one graph, two at least."""

        async def script(backend: SearchBackend) -> None:
            if not isinstance(backend, SupportsSimilarity):
                return
            same = [item(name, "the ledger closes at noon") for name in ("one", "two", "three")]
            await backend.upsert([*same, item("far", "walnut"), item("one", "the ledger closes at noon", graph="b")])
            near = await backend.nearest(same[0], 2)
            assert same[0].key not in [hit.key for hit in near.hits]
            assert near.hits or near.degraded
            assert len(near.hits) <= 2
            groups = [list(group) for group in await backend.similar_groups("user", 5)]
            members = [key for group in groups for key in group]
            assert all(len(group) >= 2 for group in groups)
            assert len(members) == len(set(members))
            assert set(members) <= {each.key for each in same} | {"user\x1ffar"}

        self.run(open_backend, script)


class _Watched:
    """Measures how long the loop does nothing else inside the block."""

    longest = 0.0

    async def __aenter__(self) -> _Watched:
        self._ticking = asyncio.ensure_future(self._tick())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.sleep(0.01)
        self._ticking.cancel()

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            before = loop.time()
            await asyncio.sleep(0.001)
            self.longest = max(self.longest, loop.time() - before)
