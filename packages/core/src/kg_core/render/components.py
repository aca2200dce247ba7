"""The order in which nodes are read: connected components, hubs first."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from kg_core.model import Graph


def reading_order(graph: Graph, ids: Collection[str]) -> list[str]:
    """``ids`` so that what belongs together stands together: the largest component first, and in each the hub, its
    neighbours, theirs, and so on. Depends on the edges among ``ids`` alone, and on ids for ties.
    """
    among = set(ids)
    neighbours = {node_id: _neighbours(graph, node_id, among) for node_id in among}
    rank = {node_id: (-len(near), node_id) for node_id, near in neighbours.items()}
    seen: set[str] = set()
    components: list[list[str]] = []
    for hub in sorted(among, key=rank.__getitem__):
        if hub in seen:
            continue
        seen.add(hub)
        component: list[str] = []
        queue = deque([hub])
        while queue:
            node_id = queue.popleft()
            component.append(node_id)
            for near in sorted(neighbours[node_id] - seen, key=rank.__getitem__):
                seen.add(near)
                queue.append(near)
        components.append(component)
    components.sort(key=lambda component: (-len(component), rank[component[0]]))
    return [node_id for component in components for node_id in component]


def _neighbours(graph: Graph, node_id: str, among: set[str]) -> set[str]:
    found = set()
    for key in graph.incident.get(node_id, ()):
        other = key.target if key.source == node_id else key.source
        if other != node_id and other in among:
            found.add(other)
    return found
