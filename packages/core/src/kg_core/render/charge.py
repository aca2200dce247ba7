"""What a level costs: the length of what is rendered of it, in characters, each line with its line break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import Tier
from kg_core.model.limits import ARCHIVED_LINES
from kg_core.render.lines import archived_line, edge_line, node_line
from kg_core.render.live import home
from kg_core.render.standing import standing

if TYPE_CHECKING:
    from kg_core.model import Edge, Graph


def charge(graph: Graph, user: Graph | None) -> int:
    """Active lines, lines of shown edges, and archived lines as far as they count. Order never changes it."""
    total = 0
    for node_id in graph.tiers[Tier.ACTIVE]:
        total += active_cost(graph, node_id)
        for key in graph.incident.get(node_id, ()):
            edge = graph.edges[key]
            if home(edge, graph, user) == node_id:
                total += edge_cost(edge, under_source=key.source == node_id)
    return total + min(archived_charge(graph), ARCHIVED_LINES)


def archived_charge(graph: Graph) -> int:
    """Cost of all archived lines."""
    return sum(archived_cost(node_id) for node_id in graph.tiers[Tier.ARCHIVED])


def active_cost(graph: Graph, node_id: str) -> int:
    """Cost of the line of a node that is active."""
    return len(node_line(graph.nodes[node_id], standing(graph, node_id))) + 1


def archived_cost(node_id: str) -> int:
    """Cost of the line of a node that is archived."""
    return len(archived_line(node_id)) + 1


def edge_cost(edge: Edge, *, under_source: bool) -> int:
    """Cost of the line of an edge below one of its ends."""
    return len(edge_line(edge, under_source=under_source)) + 1
