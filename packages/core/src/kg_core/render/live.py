"""Which edges are shown, and under which node."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from kg_core.model import USER_PREFIX, EndKind, Tier, end_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.model import Edge, Graph


class Presence(Enum):
    """What an edge's end is for the reader of one level."""

    ACTIVE = "active"
    """A node of this level whose gist is shown."""
    ARCHIVED = "archived"
    """A node of this level whose id is shown."""
    ELSEWHERE = "elsewhere"
    """A file, or a node of another level."""
    GONE = "gone"
    """Orphaned, or dormant: it names nothing."""


_PRESENCE = {
    Tier.ACTIVE: Presence.ACTIVE,
    Tier.ARCHIVED: Presence.ARCHIVED,
    Tier.ORPHANED: Presence.GONE,
    None: Presence.GONE,
}


def presence(graph: Graph, user: Graph | None, end: str) -> Presence:
    """What ``end`` is. Without the user graph, ends in it count as existing."""
    match end_kind(end):
        case EndKind.PATH:
            return Presence.ELSEWHERE
        case EndKind.USER:
            if user is None or user.key == graph.key:
                return Presence.GONE if graph.is_dormant(end, user) else Presence.ELSEWHERE
            found = user.tier(end.removeprefix(USER_PREFIX))
            return Presence.GONE if found in {None, Tier.ORPHANED} else Presence.ELSEWHERE
        case EndKind.NODE:
            return _PRESENCE[graph.tier(end)]


def home(edge: Edge, graph: Graph, user: Graph | None) -> str | None:
    """The active end under which an edge is shown, its source if it can be; ``None`` for an edge that is not shown.

    An edge is shown when no end is gone and one is active. (A file or a node of another level has no line of its own
    that an edge of an archived node could stand under.)
    """
    source = presence(graph, user, edge.source)
    if source is Presence.GONE:
        return None
    target = presence(graph, user, edge.target)
    if target is Presence.GONE:
        return None
    if source is Presence.ACTIVE:
        return edge.source
    return edge.target if target is Presence.ACTIVE else None


def shown_edges(graph: Graph, user: Graph | None, node_id: str) -> Iterator[Edge]:
    """The edges that are shown under one active node, in key order."""
    for edge in graph.edges_of(node_id):
        if home(edge, graph, user) == node_id:
            yield edge
