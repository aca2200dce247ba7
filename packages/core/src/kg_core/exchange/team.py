"""A team's exchange copy of a project's graph: what is shared, and how a copy is read. Pure.

The copy lies in a work tree, where branches come and go. So it is no store: what it lacks says nothing unless a
tombstone says that it was deleted, and an older version of a lesson than the one last exchanged is an old checkout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import EndKind, Graph, end_kind

if TYPE_CHECKING:
    from kg_core.model import Edge, Node, Tombstone


def shared(graph: Graph) -> Graph:
    """What others get of a graph: no use, no progress, nothing that points into a person's own memory."""
    return Graph.build(
        graph.key,
        nodes=graph.nodes,
        edges={key: edge for key, edge in graph.edges.items() if not _is_personal(edge)},
        tombstones=graph.tombstones,
        extra=graph.extra,
    )


def continued(base: Graph, copy: Graph) -> Graph:
    """The copy as a continuation of ``base``, what was last exchanged: to be merged against that base.

    Edges leave no tombstone, so one that is missing counts as deleted only in a copy that lacks nothing else.
    """
    nodes: dict[str, Node] = dict(copy.nodes)
    is_whole = True
    for node_id, before in base.nodes.items():
        found = copy.nodes.get(node_id)
        if _is_older(found, before) if found is not None else node_id not in copy.tombstones:
            nodes[node_id] = before
            is_whole = False
    edges = {key: edge for key, edge in copy.edges.items() if not _is_personal(edge)}
    tombstones: dict[str, Tombstone] = {**base.tombstones, **copy.tombstones}
    return Graph.build(
        copy.key,
        nodes=nodes,
        edges=edges if is_whole else {**base.edges, **edges},
        tombstones={node_id: stone for node_id, stone in tombstones.items() if node_id not in copy.nodes},
        extra=copy.extra,
    )


def _is_older(found: Node, before: Node) -> bool:
    return found.written is not None and before.written is not None and found.written.at < before.written.at


def _is_personal(edge: Edge) -> bool:
    return any(end_kind(end) is EndKind.USER for end in (edge.source, edge.target))
