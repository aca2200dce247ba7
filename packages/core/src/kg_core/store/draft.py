"""A large change worked out in short steps while others write, and applied in one."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from kg_core.model import Change
from kg_core.store.lines import members_of_use
from kg_core.store.slices import batches, in_slices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kg_core.model import Graph, GraphKey, Use

_BATCH: Final = 100


class Draft:
    """What is to become of the use of many nodes of one graph. Made by :meth:`kg_core.store.Store.draft`; close it.

    ``graph`` is the value that it starts from. Meanwhile others write: the draft fits as long as they touch none of its
    nodes, and what they write is made part of it when it is committed.
    """

    def __init__(self, graph: Graph, forget: Callable[[Draft], None]) -> None:
        self.graph = graph
        self.change = Change(graph=graph.key)
        self.encoded: list[bytes] = []
        """What the journal says of ``change``, in parts."""
        self._after = graph
        self._forget = forget
        self._meanwhile: list[Change] = []
        self.is_void = False
        """Whether a write that it rests on did not become durable."""

    async def fill(self, use: Mapping[str, Use]) -> None:
        """Works out what ``use`` makes of the graph, in short steps."""
        self.change = Change(graph=self.graph.key, use=use)
        async for batch in in_slices(batches(use.items(), _BATCH)):
            some = dict(batch)
            self._after = self._after.apply(Change(graph=self.graph.key, use=some))
            self.encoded.append(members_of_use(some))

    @property
    def key(self) -> GraphKey:
        """The graph it belongs to."""
        return self.graph.key

    @property
    def fits(self) -> bool:
        """Whether the nodes that it touches are as they were, and whether all it rests on still is."""
        others = chain.from_iterable((*change.nodes, *change.use) for change in self._meanwhile)
        return not self.is_void and self.change.use.keys().isdisjoint(others)

    def follow(self, change: Change) -> None:
        """Another write has changed the graph."""
        self._meanwhile.append(change)

    def void(self) -> None:
        """What was on its way has failed: the draft rests on it and fits no more."""
        self.is_void = True

    def applied(self) -> Graph:
        """The graph as it is after the writes of others and this one."""
        graph = self._after
        for change in self._meanwhile:
            graph = graph.apply(change)
        return graph

    def close(self) -> None:
        """Stops following what others write."""
        self._forget(self)
