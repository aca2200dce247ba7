"""A team's exchange copy of a project's graph: what is shared, and how a copy is read. Pure.

The copy lies in a work tree, where branches come and go. So it is no store: what it lacks says nothing unless a
tombstone says that it was deleted, and an older version of a lesson than the one last exchanged is an old checkout.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from immutables import Map

from kg_core.model import Change, EndKind, Graph, end_kind
from kg_core.policy.ageing import has_aged

if TYPE_CHECKING:
    from kg_core.model import EdgeKey, Node


def shared(graph: Graph, copy: Graph) -> Graph:
    """What others get of a graph: no use, no progress, nothing that points into a person's own memory.

    What has aged here may be in use elsewhere: of that, they keep what ``copy`` has. It is made to be written: its
    tiers mean nothing.
    """
    return replace(_without_personal(_with_aged(graph, copy)), use=Map(), progress=Map())


def is_same(one: Graph, other: Graph) -> bool:
    """Whether the two say the same to others."""
    names = ("nodes", "edges", "tombstones", "extra")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def continued(base: Graph, copy: Graph) -> Graph:
    """The copy as a continuation of ``base``, what was last exchanged: to be merged against that base.

    Edges leave no tombstone, so one that is missing counts as deleted only in a copy that lacks nothing else.
    """
    kept: dict[str, Node] = {}
    for node_id, before in base.nodes.items():
        found = copy.nodes.get(node_id)
        if found is not before and (_is_older(found, before) if found is not None else node_id not in copy.tombstones):
            kept[node_id] = before
    missing = {key: edge for key, edge in base.edges.items() if key not in copy.edges} if kept else {}
    stones = {
        key: stone for key, stone in base.tombstones.items() if key not in copy.tombstones and key not in copy.nodes
    }
    whole = replace(_without_personal(copy), progress=Map())
    return whole.apply(Change(graph=copy.key, nodes=kept, edges=missing, tombstones=stones))


def _with_aged(graph: Graph, copy: Graph) -> Graph:
    """The graph with what the copy has of what has aged in it."""
    aged = [node_id for node_id in graph.tombstones if has_aged(graph, node_id)]
    if not aged:
        return graph
    nodes = {node_id: copy.nodes[node_id] for node_id in aged if node_id in copy.nodes}
    keys = {key for node_id in nodes for key in copy.incident.get(node_id, ())}
    edges = {key: copy.edges[key] for key in keys if key not in graph.edges}
    tombstones = {node_id: copy.tombstones.get(node_id) for node_id in aged}
    return graph.apply(Change(graph=graph.key, nodes=nodes, edges=edges, tombstones=tombstones))


def _is_older(found: Node, before: Node) -> bool:
    return found.written is not None and before.written is not None and found.written.at < before.written.at


def _without_personal(graph: Graph) -> Graph:
    personal: dict[EdgeKey, None] = {}
    for end in graph.incident:
        if end_kind(end) is EndKind.USER:
            personal.update(dict.fromkeys(graph.incident[end]))
    return graph.apply(Change(graph=graph.key, edges=personal)) if personal else graph
