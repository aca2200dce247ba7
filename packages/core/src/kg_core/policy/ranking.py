"""What the edges of a graph say about the order of hits: a correction stands above what it corrects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kg_core.policy.backend import key
from kg_core.render import replacements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.model import Graph
    from kg_plugin_api import SearchHit, SearchResults


def ranked(results: SearchResults, graphs: Iterable[Graph]) -> SearchResults:
    """The same hits, each superseded one directly below the nodes that supersede it.

    A superseding node has at least the score and the evidence of what it replaces, and is brought in when it is no hit
    of its own: whoever asks in the words of the old lesson means the new one.
    """
    levels = {graph.key: graph for graph in graphs}
    own = {hit.key: hit for hit in results.hits}
    ordered: dict[str, SearchHit] = {}
    for hit in results.hits:
        for node_id in reversed(_newer(levels.get(hit.graph), hit.id)):
            name = key(hit.graph, node_id)
            heir = replace(hit, key=name, id=node_id)
            ordered.setdefault(name, _stronger(own[name], heir) if name in own else heir)
        ordered.setdefault(hit.key, hit)
    return replace(results, hits=tuple(ordered.values()))


def _stronger(hit: SearchHit, other: SearchHit) -> SearchHit:
    return replace(
        hit,
        score=max(hit.score, other.score),
        evidence=max(hit.evidence, other.evidence),
        rarity=max(hit.rarity, other.rarity),
        in_title=hit.in_title or other.in_title,
    )


def _newer(graph: Graph | None, node_id: str) -> list[str]:
    """The ids that supersede a node, those that supersede them and so on, nearest first."""
    if graph is None:
        return []
    found: dict[str, None] = {}
    waiting = [node_id]
    while waiting:
        for newer in replacements(graph, waiting.pop(0)):
            if newer != node_id and newer not in found:
                found[newer] = None
                waiting.append(newer)
    return list(found)
