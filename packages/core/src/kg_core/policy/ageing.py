"""Ageing: which lessons leave their graph for a file beside it, long after they have left every text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.model import (
    AGEING,
    DAY,
    DERIVED_FROM,
    SUPERSEDES,
    USER,
    USER_PREFIX,
    Change,
    EndKind,
    Graph,
    Tier,
    Tombstone,
    end_kind,
)
from kg_core.model.limits import TOMBSTONES
from kg_core.model.steps import MANY, SLICE, sorted_steps

if TYPE_CHECKING:
    from collections.abc import Collection

    from kg_core.model import Edge, EdgeKey, Millis, Node
    from kg_core.model.steps import Steps

MOST: Final = 100
"""Lessons that age in one go; those that rest on one another go together, and may be more."""
LARGEST: Final = 300
"""Lessons that rest on one another and age together; where they are more, all of them stay: a write is one step."""
_BINDING: Final = frozenset({DERIVED_FROM, SUPERSEDES})
"""Relations without which the lesson at the other end would say something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """What ages in ``graph``: the lessons with all their edges, as a graph of their own, and the change that takes them
    out of theirs.
    """

    graph: Graph
    aged: Graph
    change: Change

    def fits(self, graph: Graph) -> bool:
        """Whether the change loses nothing of what its graph has become since: these lessons are as they were."""
        return graph is self.graph or (
            all(self._is_as_before(graph, node_id) for node_id in self.aged.nodes)
            and all(graph.edges.get(key) == edge for key, edge in self.aged.edges.items())
        )

    def _is_as_before(self, graph: Graph, node_id: str) -> bool:
        before = self.graph
        ends = {end for key in before.incident.get(node_id, ()) for end in (key.source, key.target)}
        return (
            graph.nodes.get(node_id) == before.nodes[node_id]
            and graph.use.get(node_id) == before.use.get(node_id)
            and graph.incident.get(node_id) == before.incident.get(node_id)
            and all((end in graph.nodes) is (end in before.nodes) for end in ends)
        )


def ageing_steps(graph: Graph, others: Collection[Graph], now: Millis, days: int) -> Steps[Departure | None]:
    """What ages now, in small steps, those orphaned first before others; ``None`` when that is nothing. With ``days``
    of 0 nothing ever ages.

    A lesson ages once it has been orphaned for more than ``days``, unless it is locked, has versions that wait for a
    decision, or is tied by evidence or as a successor to a lesson that stays, or to more than :data:`LARGEST`; one of
    the user's also stays while a project has edges into it. ``others`` are the graphs at hand that may have such edges.
    No deletion is forgotten so that a lesson can age.
    """
    if days <= 0:
        return None
    due: list[tuple[Millis, str]] = []
    for looked, node_id in enumerate(graph.tiers[Tier.ORPHANED], 1):
        since = graph.use_of(node_id).orphaned_at
        if 0 < since < now - days * DAY and _is_free(graph, node_id, others):
            due.append((since, node_id))
        if looked % MANY == 0:
            yield
    ordered = yield from sorted_steps(due)
    candidates = {node_id for _, node_id in ordered}
    chosen: list[str] = []
    seen: set[str] = set()
    for looked, (_, node_id) in enumerate(ordered, 1):
        group = [] if node_id in seen else (yield from _bound(graph, node_id, candidates, seen))
        if len(group) <= LARGEST and len(graph.tombstones) + len(chosen) + len(group) <= TOMBSTONES:
            chosen += group
        if len(chosen) >= MOST:
            break
        if looked % SLICE == 0:
            yield
    return _taken_out(graph, chosen, now) if chosen else None


def has_aged(graph: Graph, node_id: str) -> bool:
    """Whether a node that was in the graph has aged, as its tombstone says for a year."""
    stone = graph.tombstones.get(node_id)
    return stone is not None and stone.by == AGEING


def _is_free(graph: Graph, node_id: str, others: Collection[Graph]) -> bool:
    """Whether nothing about the lesson itself keeps it, nor an edge of another level."""
    node: Node = graph.nodes[node_id]
    if node.locked or node.conflicts:
        return False
    if graph.key != USER:
        return True
    end = USER_PREFIX + node_id
    return not graph.use_of(node_id).inbound and not any(end in other.incident for other in others)


def _bound(graph: Graph, start: str, candidates: set[str], seen: set[str]) -> Steps[list[str]]:
    """The lessons that can only go together with ``start``; none when one of them stays. All are added to ``seen``."""
    group, stays = [start], False
    seen.add(start)
    for looked, node_id in enumerate(group, 1):
        for key in graph.incident.get(node_id, ()):
            if key.rel not in _BINDING:
                continue
            for end in (key.source, key.target):
                kind = end_kind(end)
                if kind is EndKind.USER or (kind is EndKind.NODE and end in graph.nodes and end not in candidates):
                    stays = True
                elif end in candidates and end not in seen:
                    seen.add(end)
                    group.append(end)
        if looked % SLICE == 0:
            yield
    return [] if stays else group


def _taken_out(graph: Graph, ids: list[str], now: Millis) -> Departure:
    nodes = {node_id: graph.nodes[node_id] for node_id in ids}
    edges: dict[EdgeKey, Edge] = {key: graph.edges[key] for node_id in ids for key in graph.incident.get(node_id, ())}
    tombstones = {
        node_id: Tombstone(at=max(now, node.written.at if node.written is not None else 0), by=AGEING)
        for node_id, node in nodes.items()
    }
    change = Change(
        graph=graph.key,
        nodes=dict.fromkeys(nodes),
        use=dict.fromkeys(node_id for node_id in nodes if node_id in graph.use),
        edges=dict.fromkeys(edges),
        tombstones=tombstones,
    )
    return Departure(graph=graph, aged=Graph.build(graph.key, nodes=nodes, edges=edges), change=change)
