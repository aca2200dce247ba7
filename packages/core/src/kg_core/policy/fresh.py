"""The newest nodes of a level, which compaction leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model import Tier
from kg_core.model.limits import BUDGET, FRESH_SHARE
from kg_core.model.steps import SLICE, sorted_steps
from kg_core.render import active_cost, edge_cost

if TYPE_CHECKING:
    from kg_core.model import EdgeKey, Graph, Millis
    from kg_core.model.steps import Steps

FRESH_BUDGET: Final = int(BUDGET * FRESH_SHARE)


def fresh_steps(graph: Graph, user: Graph | None, budget: int = FRESH_BUDGET) -> Steps[frozenset[str]]:
    """The newest nodes that are not orphaned, while their lines and edges fit ``budget`` characters; in small steps.

    One that does not fit is skipped and the walk goes on. An edge is charged once, with the newer end. No compaction
    plan can change who is fresh: what a node costs here does not depend on tiers, and a locked one counts as active.
    """
    members: list[str] = []
    charged: set[EdgeKey] = set()
    for walked, (_, node_id) in enumerate((yield from _by_creation(graph))):
        if walked % SLICE == 0:
            yield
        cost = active_cost(graph, node_id)
        if cost > budget:
            continue
        edges: list[EdgeKey] = []
        for key in graph.incident.get(node_id, ()):
            other = key.target if key.source == node_id else key.source
            if key not in charged and not graph.is_dormant(other, user):
                edges.append(key)
                cost += edge_cost(graph.edges[key], under_source=key.source == node_id)
        if cost <= budget:
            budget -= cost
            members.append(node_id)
            charged.update(edges)
    return frozenset(members)


def _by_creation(graph: Graph) -> Steps[list[tuple[Millis, str]]]:
    """The ids that are not orphaned, or locked, newest first, equal ones by id."""
    ids = {*graph.tiers[Tier.ACTIVE], *graph.tiers[Tier.ARCHIVED], *graph.locked}
    yield
    return (yield from sorted_steps((-graph.nodes[node_id].created, node_id) for node_id in ids))
