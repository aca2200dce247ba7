"""Whether a lesson holds, its own status and the edges around it taken together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import SUPERSEDES, Status

if TYPE_CHECKING:
    from kg_core.model import EdgeKey, Graph


def standing(graph: Graph, node_id: str) -> Status:
    """The status of a node of ``graph``: ``SUPERSEDED`` also when a node of the graph supersedes it."""
    status = graph.nodes[node_id].status
    if status is Status.CURRENT:
        for key in graph.incident.get(node_id, ()):
            if key[1] == SUPERSEDES and _supersedes(graph, key, node_id):
                return Status.SUPERSEDED
    return status


def replacements(graph: Graph, node_id: str) -> tuple[str, ...]:
    """The ids of the nodes of ``graph`` that supersede a node of it, in order. A node cannot supersede itself."""
    keys = graph.incident.get(node_id, ())
    return tuple(sorted(key.source for key in keys if _supersedes(graph, key, node_id)))


def all_replacements(graph: Graph, node_id: str) -> list[str]:
    """The ids that supersede a node, those that supersede them and so on, nearest first; never its own."""
    found: dict[str, None] = {}
    waiting = [node_id]
    while waiting:
        for newer in replacements(graph, waiting.pop(0)):
            if newer != node_id and newer not in found:
                found[newer] = None
                waiting.append(newer)
    return list(found)


def _supersedes(graph: Graph, key: EdgeKey, node_id: str) -> bool:
    return key.rel == SUPERSEDES and key.target == node_id and key.source != node_id and key.source in graph.nodes
