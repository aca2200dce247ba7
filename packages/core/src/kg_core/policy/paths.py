"""How the nodes of one answer hang together: shortest paths between them, and the nodes that these pass."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from kg_core.model import USER, USER_PREFIX, EndKind, end_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from kg_core.model import Edge, EdgeKey, Graph, GraphKey
    from kg_plugin_api import SearchHit

HOPS: Final = 4
"""A longer path connects nothing that anybody would call related."""
TOP: Final = 5
"""Hits between which paths are looked for."""
_VISITED: Final = 1_000
"""So many nodes are looked at from one hit: enough for four hops but through the largest hubs."""


class Place(NamedTuple):
    """A node over all levels."""

    graph: GraphKey
    id: str


@dataclass(frozen=True, slots=True)
class Connections:
    """The edges on the paths, each with the graph that holds it, and the nodes they pass that are no hits."""

    edges: tuple[tuple[GraphKey, Edge], ...] = ()
    connectors: tuple[Place, ...] = ()


def _all(graph: Graph, node_id: str) -> bool:
    del graph, node_id
    return True


@dataclass(frozen=True, slots=True)
class _Map:
    """Where paths may lead: over which nodes of which levels, and along which edges."""

    levels: Mapping[GraphKey, Graph]
    admits: Callable[[Graph, str], bool]
    closed: Container[str]

    def around(self, place: Place) -> Iterator[tuple[Place, GraphKey, Edge]]:
        """The neighbours over an open edge, whether they are admitted or not."""
        return (step for step in neighbours(place, self.levels) if step[2].rel not in self.closed)

    def is_open(self, place: Place) -> bool:
        """Whether a path may pass a node."""
        return self.admits(self.levels[place.graph], place.id)


def connections(
    hits: Sequence[SearchHit],
    graphs: Iterable[Graph],
    admits: Callable[[Graph, str], bool] = _all,
    closed: Container[str] = (),
) -> Connections:
    """Shortest undirected paths, of at most four edges, between each two of the first five hits.

    Paths lead over nodes of ``graphs`` that ``admits`` lets pass, across levels too, never over files or along the
    relations that are ``closed``. Of equally short ones the first in the order of edges is taken.
    """
    levels = {graph.key: graph for graph in graphs}
    land = _Map(levels, admits, closed)
    tops = [
        Place(hit.graph, hit.id)
        for hit in hits[:TOP]
        if hit.graph in levels and hit.id in levels[hit.graph].nodes and admits(levels[hit.graph], hit.id)
    ]
    edges: dict[tuple[GraphKey, EdgeKey], Edge] = {}
    passed: dict[Place, None] = {}
    around = {top: _around(top, land) for top in tops}
    steps = {
        top: _steps(top, {end for end in tops[number + 1 :] if _may_meet(around[top], around[end])}, land)
        for number, top in enumerate(tops)
    }
    for start, end in combinations(tops, 2):
        place = end
        while place in steps[start] and place != start:
            before, graph, edge = steps[start][place]
            edges[graph, edge.key] = edge
            passed[before] = None
            place = before
    hit_places = {Place(hit.graph, hit.id) for hit in hits}
    return Connections(
        tuple((graph, edge) for (graph, _), edge in edges.items()),
        tuple(place for place in passed if place not in hit_places),
    )


def _around(start: Place, land: _Map) -> frozenset[Place] | None:
    """The nodes within half the hops of a path; ``None`` when they are many.

    Two nodes that have none in common are not connected, which most hits are not: this finds it out at little cost.
    """
    found = {start}
    rim = [start]
    for _ in range(HOPS // 2):
        beyond: list[Place] = []
        for place in rim:
            for near, _, _ in land.around(place):
                if near not in found and land.is_open(near):
                    found.add(near)
                    beyond.append(near)
            if len(found) > _VISITED:
                return None
        rim = beyond
    return frozenset(found)


def _may_meet(one: frozenset[Place] | None, other: frozenset[Place] | None) -> bool:
    return one is None or other is None or not one.isdisjoint(other)


def _steps(start: Place, targets: set[Place], land: _Map) -> dict[Place, tuple[Place, GraphKey, Edge]]:
    """For each node up to the last target: the step that leads to it on a shortest path from ``start``."""
    steps: dict[Place, tuple[Place, GraphKey, Edge]] = {}
    missing = targets - {start}
    queue = deque([(start, 0)])
    while queue and missing and len(steps) < _VISITED:
        place, hops = queue.popleft()
        if hops == HOPS:
            break
        for near, graph, edge in land.around(place):
            if near != start and near not in steps and land.is_open(near):
                steps[near] = (place, graph, edge)
                missing.discard(near)
                queue.append((near, hops + 1))
    return steps


def neighbours(place: Place, levels: Mapping[GraphKey, Graph]) -> Iterator[tuple[Place, GraphKey, Edge]]:
    """The nodes at the other ends of a node's edges, across levels, each with the edge and the graph that holds it."""
    own = levels[place.graph]
    for edge in own.edges_of(place.id):
        other = _place(own, edge.target if edge.source == place.id else edge.source, levels)
        if other is not None:
            yield other, own.key, edge
    if place.graph == USER:
        reference = USER_PREFIX + place.id
        for level in levels.values():
            for edge in level.edges_of(reference) if level.key != USER else ():
                other = _place(level, edge.target if edge.source == reference else edge.source, levels)
                if other is not None:
                    yield other, level.key, edge


def _place(graph: Graph, end: str, levels: Mapping[GraphKey, Graph]) -> Place | None:
    match end_kind(end):
        case EndKind.NODE:
            return Place(graph.key, end) if end in graph.nodes else None
        case EndKind.USER:
            node_id = end.removeprefix(USER_PREFIX)
            return Place(USER, node_id) if USER in levels and node_id in levels[USER].nodes else None
        case EndKind.PATH:
            return None
