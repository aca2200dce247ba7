"""Lessons that have long been out of every text leave their graph for the file beside it, where a person wants that."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kg_core.model import AGEING, MAINTAIN, USER
from kg_core.policy.ageing import ageing_steps
from kg_core.store import ProblemKind, Write
from kg_core.store.slices import in_turns
from kg_plugin_api import KgError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.model import GraphKey, Millis
    from kg_core.policy.ageing import Departure
    from kg_server.keeping.exchange import Exchange
    from kg_server.memory import Memory

log = logging.getLogger(__name__)


class Ageing:
    """Moves what ages in the graphs that are in use, some of each at a time; with ``days`` of 0, nothing.

    The file has a lesson before the graph lets go of it. What stops in between leaves it in both, and the next run goes
    on from there.
    """

    def __init__(self, memory: Memory, exchange: Exchange, clock: Callable[[], Millis], days: int) -> None:
        self._memory = memory
        self._exchange = exchange
        self._clock = clock
        self._days = days

    async def run(self) -> None:
        """One look at every graph, but for those that a team shares: what one person never sees, another one may."""
        if not self._days:
            return
        exchanged = await self._exchange.graphs()
        for key in self._memory.loaded:
            if key not in exchanged:
                await self._age(key)

    async def _age(self, key: GraphKey) -> None:
        memory, aged = self._memory, self._memory.store.aged
        found = await self._found(key)
        if key == USER and found is not None and MAINTAIN not in memory.loaded:
            await memory.load(MAINTAIN)  # its edges into the user's memory are counted nowhere
            found = await self._found(key)
        if found is None:
            return
        path = aged.path(key)
        try:
            is_kept = await aged.keep(found.aged)
        except KgError as failure:
            sentence = f"{failure.sentence} So no lesson is moved there; it is tried again."
            memory.store.report(ProblemKind.UNWRITABLE, path, sentence, graph=key)
            return
        memory.store.solved(ProblemKind.UNWRITABLE, path)
        if is_kept and found.fits(memory.pending(key)):
            try:
                await memory.commit(Write(by=AGEING, at=self._clock(), changes=(found.change,), maintenance=True))
            except KgError as failure:
                log.warning("what has aged in %s stays there: %s", key, failure.sentence)

    async def _found(self, key: GraphKey) -> Departure | None:
        memory = self._memory
        others = [memory.durable(other) for other in memory.loaded if other != key]
        return await in_turns(ageing_steps(memory.durable(key), others, self._clock(), self._days))
