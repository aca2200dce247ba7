"""The order in which nodes are read: connected components, hubs first."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from kg_core.model.steps import SLICE, at_once, sorted_steps

if TYPE_CHECKING:
    from collections.abc import Collection

    from kg_core.model import Graph
    from kg_core.model.steps import Steps


def reading_order(graph: Graph, ids: Collection[str]) -> list[str]:
    """``ids`` so that what belongs together stands together: the largest component first, and in each the hub, its
    neighbours, theirs, and so on. Depends on the edges among ``ids`` alone, and on ids for ties.
    """
    return at_once(reading_order_steps(graph, ids))


def reading_order_steps(graph: Graph, ids: Collection[str]) -> Steps[list[str]]:
    """:func:`reading_order` in small steps."""
    among = set(ids)
    neighbours: dict[str, set[str]] = {}
    for number, node_id in enumerate(among, start=1):
        neighbours[node_id] = _neighbours(graph, node_id, among)
        if number % SLICE == 0:
            yield
    rank = {node_id: (-len(near), node_id) for node_id, near in neighbours.items()}
    yield
    seen: set[str] = set()
    components: list[tuple[int, tuple[int, str], list[str]]] = []
    for number, (_, hub) in enumerate((yield from sorted_steps(rank.values())), start=1):
        if number % SLICE == 0:
            yield
        if hub in seen:
            continue
        seen.add(hub)
        component: list[str] = []
        queue = deque([hub])
        while queue:
            node_id = queue.popleft()
            component.append(node_id)
            for _, near in sorted(rank[near] for near in neighbours[node_id] - seen):
                seen.add(near)
                queue.append(near)
            if len(component) % SLICE == 0:
                yield
        components.append((-len(component), rank[hub], component))
    return [node_id for _, _, component in (yield from sorted_steps(components)) for node_id in component]


def _neighbours(graph: Graph, node_id: str, among: set[str]) -> set[str]:
    found = set()
    for key in graph.incident.get(node_id, ()):
        other = key.target if key.source == node_id else key.source
        if other != node_id and other in among:
            found.add(other)
    return found
