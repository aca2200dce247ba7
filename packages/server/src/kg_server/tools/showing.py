"""Nodes as blocks, for the tools that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import Kind, Tier
from kg_core.render import node_blocks
from kg_server.tools.levels import level_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.model import Graph, Node
    from kg_core.render import Block
    from kg_server.tools.levels import Levels


def shown_in_full(found: Iterable[tuple[Graph, Node]], levels: Levels, *, is_upkeep: bool = False) -> list[Block]:
    """Each node with all that is kept of it; its marks say that it was read."""
    others = [levels.project] if levels.project is not None else []
    return [
        block for graph, node in found for block in node_blocks(node, graph, levels.user, others, is_upkeep=is_upkeep)
    ]


def whereabouts(graph: Graph, node: Node) -> str:
    """What is said behind a node that a search found: its level, its tier unless it is active, and whether it is a
    conclusion.
    """
    tier = graph.tier(node.id)
    facts = [level_of(graph), *([] if tier in {None, Tier.ACTIVE} else [str(tier)])]
    return ", ".join([*facts, *(["derived"] if node.kind is Kind.DERIVED else [])])
