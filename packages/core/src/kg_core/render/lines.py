"""The lines of which every view of memory is made. What they measure is what the budget counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import Status
from kg_core.render.neutral import one_line

if TYPE_CHECKING:
    from kg_core.model import Edge, Node


def node_line(node: Node, status: Status = Status.CURRENT) -> str:
    """``  id: gist``; a node that is not current says so behind its id."""
    mark = "" if status is Status.CURRENT else f" ({status})"
    return f"  {one_line(node.id)}{mark}: {one_line(node.gist)}"


def preloaded_line(node_id: str) -> str:
    """``  id (preloaded)``: its gist is in front of the model already."""
    return f"  {one_line(node_id)} (preloaded)"


def archived_line(node_id: str) -> str:
    """``  id``: a memory trace."""
    return f"  {one_line(node_id)}"


def edge_line(edge: Edge, *, under_source: bool) -> str:
    """``    → rel → other`` below the edge's source, ``    ← rel ← other`` below its target."""
    rel = one_line(edge.rel)
    if under_source:
        return f"    → {rel} → {one_line(edge.target)}"
    return f"    ← {rel} ← {one_line(edge.source)}"


def relation(edge: Edge) -> str:
    """``from --rel--> to``: an edge that stands by itself."""
    return f"{one_line(edge.source)} --{one_line(edge.rel)}--> {one_line(edge.target)}"
