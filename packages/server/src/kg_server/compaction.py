"""Keeps every level within its budget: plans once it is read and after writes, in small steps; applies what fits."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from kg_core.model import MAINTAIN, USER
from kg_core.policy import planned
from kg_core.store.slices import in_turns
from kg_plugin_api import KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from kg_core.model import Change, Graph, GraphKey, Millis
    from kg_core.store import Entry
    from kg_server.memory import Memory

log = logging.getLogger(__name__)

BY: Final = "kg"
"""Who moves tiers, in the journal."""
_QUIET_SECONDS: Final = 1.0
"""A plan waits until writes have paused for so long …"""
_PATIENCE: Final = 10
"""… but not for more than so many such pauses in a row: writes that never pause must not put it off for ever."""
_ATTEMPTS: Final = 5
"""Plans of one run over one graph; each is small, and the next write starts another run."""


class Compaction:
    """Plans for the graphs that were written. Nothing waits for it, and what it moves can be moved back by a read."""

    def __init__(self, memory: Memory, clock: Callable[[], Millis]) -> None:
        self._memory = memory
        self._clock = clock
        self._due: dict[GraphKey, None] = {}
        self._settled: dict[GraphKey, set[str]] = {}
        self._wake = asyncio.Event()
        memory.store.subscribe(self._written)

    async def keep(self) -> None:
        """Runs until it is cancelled."""
        while True:
            await self._wake.wait()
            for _ in range(_PATIENCE):
                if not self._wake.is_set():
                    break
                self._wake.clear()
                await asyncio.sleep(_QUIET_SECONDS)
            await self.run()

    async def run(self) -> None:
        """Brings every graph that is due within its budget. A disk that refuses leaves things as they are."""
        while self._due:
            graph = next(iter(self._due))
            del self._due[graph]
            for _ in range(_ATTEMPTS):
                try:
                    if not await self._pass(graph):
                        break
                except KgError as error:
                    log.warning("%s was not compacted: %s", graph, error.sentence)
                    break

    def look_at(self, graph: GraphKey) -> None:
        """Makes a graph due: time alone moves scores too."""
        if graph != MAINTAIN:
            self._due[graph] = None
            self._wake.set()

    async def _pass(self, key: GraphKey) -> bool:
        """One plan; whether to look for another."""
        draft = self._memory.store.draft(key)
        try:
            change = await self._planned(draft.graph, self._settled.get(key, ()))
            if not change:
                return False
            await draft.fill({node_id: use for node_id, use in change.use.items() if use is not None})
            durable = self._memory.store.commit_draft(draft, by=BY, at=self._clock())
        finally:
            draft.close()
        if durable is None:
            return draft.is_void  # else the write that it does not fit makes the graph due again
        self._settled.setdefault(key, set()).update(change.use)
        await durable
        return True

    async def _planned(self, graph: Graph, settled: Collection[str]) -> Change | None:
        return await in_turns(planned(graph, self._memory.durable(USER), self._clock(), settled))

    def _written(self, entry: Entry) -> None:
        if entry.by == BY:
            return
        for change in entry.changes:
            self._settled.pop(change.graph, None)
            self.look_at(change.graph)
