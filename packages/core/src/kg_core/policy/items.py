"""Nodes as what an index, or a search backend, is told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_plugin_api import SearchItem

if TYPE_CHECKING:
    from kg_core.model import GraphKey, Node, Status, Use


def key(graph: GraphKey, node_id: str) -> str:
    """The key of a node over all graphs."""
    return f"{graph}\x1f{node_id}"


def item(graph_key: GraphKey, node: Node, use: Use, status: Status) -> SearchItem:
    """A node as an index sees it. ``status`` is its standing, edges included."""
    return SearchItem(
        key=key(graph_key, node.id),
        graph=graph_key,
        id=node.id,
        gist=node.gist,
        notes=node.notes,
        touches=node.touches,
        tags=node.tags,
        tier=use.tier.value,
        status=status.value,
        kind=node.kind.value,
        observer=node.observer,
        observed=node.observed,
        hash=f"{node.version}:{use.tier}:{status}",
    )
