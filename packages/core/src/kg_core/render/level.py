"""One level as blocks: what a full read shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kg_core.model import USER_PREFIX, Tier
from kg_core.model.steps import SLICE, sorted_steps
from kg_core.render.block import Block, Mark, MarkKind, Rank
from kg_core.render.components import reading_order_steps
from kg_core.render.lines import archived_line, edge_line, node_line, preloaded_line
from kg_core.render.live import shown_edges
from kg_core.render.standing import standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model import Edge, Graph
    from kg_core.model.steps import Steps

UNSCORED = 0.5
"""Value of what has no score: fresh nodes, files, nodes of another level."""
ARCHIVED_HEADING = "  archived (kg_read with ids shows them):"


def level_steps(graph: Graph, user: Graph | None, *, title: str) -> Steps[list[Block]]:
    """A heading, the active nodes in reading order with their edges, and the ids of the archived ones, in small steps.

    The lines below the headings measure what :func:`kg_core.render.charge` says.
    """
    active, archived = graph.tiers[Tier.ACTIVE], graph.tiers[Tier.ARCHIVED]
    blocks = [level_heading(graph, title)]
    order = yield from reading_order_steps(graph, active)
    for number, node_id in enumerate(order, start=1):
        blocks.append(gist_block(graph, node_id, MarkKind.SEEN, UNSCORED))
        blocks.extend(edge_block(graph, edge, node_id, UNSCORED) for edge in shown_edges(graph, user, node_id))
        if number % SLICE == 0:
            yield
    ids = yield from sorted_steps(archived)
    if ids:
        blocks.append(archived_heading(graph))
    for number, node_id in enumerate(ids, start=1):
        blocks.append(archived_block(graph, node_id, UNSCORED))
        if number % SLICE == 0:
            yield
    return blocks


def level_heading(graph: Graph, title: str) -> Block:
    """The line above a level. It counts what stands below, and what is in no text but is there."""
    active, archived, orphaned = (len(graph.tiers[tier]) for tier in (Tier.ACTIVE, Tier.ARCHIVED, Tier.ORPHANED))
    others = f", {orphaned} more that a search finds" if orphaned else ""
    return Block(text=f"{title}: {active} active, {archived} archived{others}")


def block_name(graph: Graph, node_id: str) -> str:
    """What the block of a node is called, unique over all levels."""
    return f"{graph.key}\x1f{node_id}"


def active_block(graph: Graph, node_id: str, value: float, *, is_preloaded: bool) -> Block:
    """The line of an active node in a level: without its gist where that is in front of the model already."""
    if not is_preloaded:
        return gist_block(graph, node_id, MarkKind.SEEN, value)
    return Block(text=preloaded_line(node_id), rank=Rank.GIST, value=value, name=block_name(graph, node_id))


def gist_block(graph: Graph, node_id: str, mark: MarkKind, value: float) -> Block:
    """The line of an active node, which shows its gist."""
    node = graph.nodes[node_id]
    return Block(
        text=node_line(node, standing(graph, node_id)),
        rank=Rank.GIST,
        value=value,
        marks=(Mark(mark, graph.key, node_id, node.version),),
        name=block_name(graph, node_id),
    )


def edge_block(graph: Graph, edge: Edge, under: str, value: float) -> Block:
    """The line of an edge below one of its ends."""
    text = edge_line(edge, under_source=under == edge.source)
    return Block(text=text, rank=Rank.EDGE, value=value, parent=block_name(graph, under))


def edge_value(edge: Edge, values: Mapping[str, float]) -> float:
    """What an edge is worth: as much as its two ends."""
    return sum(values.get(end.removeprefix(USER_PREFIX), UNSCORED) for end in (edge.source, edge.target))


def archived_heading(graph: Graph) -> Block:
    """The line above archived ids, which goes last of them."""
    return Block(text=ARCHIVED_HEADING, rank=Rank.ARCHIVED, value=math.inf, name=block_name(graph, ""))


def archived_block(graph: Graph, node_id: str, value: float) -> Block:
    """The line of an archived id."""
    return Block(text=archived_line(node_id), rank=Rank.ARCHIVED, value=value, parent=block_name(graph, ""))
