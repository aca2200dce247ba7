"""The built-in index as a search backend, and nodes as items of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_plugin_api import SearchItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kg_core.model import GraphKey, Node, Status, Use
    from kg_core.policy.index import Index
    from kg_plugin_api import SearchRequest, SearchResults


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


class BuiltinBackend:
    """The index behind the protocol that every backend has. It answers at once and needs nothing."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        """Replaces by key; the last of equal keys wins."""
        self._index.upsert(items)

    async def remove(self, keys: Sequence[str]) -> None:
        """Forgets keys; unknown ones are ignored."""
        self._index.remove(keys)

    async def search(self, request: SearchRequest) -> SearchResults:
        """Answers from memory, well within any budget."""
        return self._index.search(request)

    async def snapshot(self) -> Mapping[str, str]:
        """Key → hash of all that is indexed."""
        return self._index.snapshot()

    async def health(self) -> Mapping[str, object]:
        """How many nodes are indexed."""
        return {"backend": "builtin", "items": len(self._index)}

    async def close(self) -> None:
        """Nothing to let go of."""
