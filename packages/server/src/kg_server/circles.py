"""Circles of evidence that no tool wrote: edits, imports and merges are kept as they are, and said."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from kg_core.model import DERIVED_FROM, PROJECT_PREFIX
from kg_core.policy.derivation import circle, circles, exists, named, place_of
from kg_core.store import ProblemKind
from kg_server.background import Background

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kg_core.model import Change, Graph, GraphKey
    from kg_core.policy.paths import Place
    from kg_core.store import Store

_AT_ONCE: Final = 2_000
"""Edges that are looked at with a write, whatever it brings; where they do not suffice, its graph is looked through in
the background."""
_TOLD: Final = 3
"""Circles that are named at a time."""
_MOST: Final = 100
"""Circles that are remembered."""


class Circles:
    """The circles there are in the loaded graphs, as a problem of the storage. All methods are called on the loop."""

    def __init__(self, store: Store, levels: Callable[[], Mapping[GraphKey, Graph]]) -> None:
        self._store = store
        self._levels = levels
        self._known: dict[frozenset[Place], tuple[Place, ...]] = {}
        self._told: set[GraphKey] = set()
        self._looking: dict[GraphKey, asyncio.Task[None]] = {}
        self._wanted: set[GraphKey] = set()
        """What is to be looked through, perhaps once more."""
        self._background = Background()

    def look(self, graph: GraphKey) -> None:
        """Looks through all evidence of a graph, in the background: however often it is asked to, one time after the
        other.
        """
        self._wanted.add(graph)
        if graph not in self._looking:
            self._looking[graph] = asyncio.create_task(self._look(graph))

    def follow(self, change: Change) -> None:
        """Takes up what a durable change made of evidence."""
        pieces = {key: edge for key, edge in change.edges.items() if key.rel == DERIVED_FROM}
        if not pieces:
            return
        levels = self._levels()
        for key, edge in pieces.items():
            conclusion, premise = place_of(change.graph, key.source), place_of(change.graph, key.target)
            if edge is None or conclusion is None or premise is None:
                continue
            way = circle(conclusion, premise, levels, _AT_ONCE // len(pieces))
            if way is None:
                self.look(change.graph)
            elif way:
                self._remember((conclusion, *way))
        self._tell(levels)

    async def close(self) -> None:
        """Ends what runs in the background."""
        looking = list(self._looking.values())
        for task in looking:
            task.cancel()
        await asyncio.gather(*looking, return_exceptions=True)

    async def _look(self, graph: GraphKey) -> None:
        try:
            while graph in self._wanted:
                self._wanted.discard(graph)
                levels = self._levels()
                async for way in self._background.through(circles(levels[graph], levels)):
                    if way is not None:
                        self._remember(way)
                self._tell(self._levels())
        finally:
            del self._looking[graph]

    def _remember(self, way: tuple[Place, ...]) -> None:
        if len(self._known) < _MOST:
            self._known.setdefault(frozenset(way), way)

    def _tell(self, levels: Mapping[GraphKey, Graph]) -> None:
        """Says which circles there still are."""
        self._known = {lessons: way for lessons, way in self._known.items() if exists(way, levels)}
        found: dict[GraphKey, list[tuple[Place, ...]]] = {}
        for way in self._known.values():
            found.setdefault(_graph_of(way), []).append(way)
        for graph in self._told - found.keys():
            self._store.solved(ProblemKind.CIRCLE, graph)
        self._told = set(found)
        for graph, ways in found.items():
            told = "; ".join(named(way) for way in ways[:_TOLD])
            more = f"; and {len(ways) - _TOLD} more" if len(ways) > _TOLD else ""
            sentence = f"Lessons rest on themselves, by an edit, an import or a merge: {told}{more}."
            mend = "Nothing is lost; of each, have an agent delete the edge that is wrong, or take it out of the file."
            self._store.report(ProblemKind.CIRCLE, graph, f"{sentence} {mend}", graph=graph)


def _graph_of(way: tuple[Place, ...]) -> GraphKey:
    """The project that a circle runs through, else the level that it lies in."""
    graphs = sorted({graph for graph, _ in way}, key=lambda graph: not graph.startswith(PROJECT_PREFIX))
    return graphs[0]
