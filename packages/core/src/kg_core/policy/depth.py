"""How deep a search goes: from what was stated alone to what conclusions rest on, and how ``auto`` chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kg_core.model import Kind
from kg_core.model.depth import Depth
from kg_core.policy.grounds import HOPS, Grounds, grounds
from kg_core.policy.recall import GATE
from kg_core.render import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kg_core.model import Graph, GraphKey
    from kg_plugin_api import SearchHit, SearchRequest

FIRM: Final = GATE.least
"""The strength from which on a lesson is about the question, as measured for prompts."""


_HOPS: Final[Mapping[Depth, int]] = {Depth.EXPLICIT: 0, Depth.DERIVED: 0, Depth.PREMISES: 1, Depth.ANCESTRY: HOPS}


@dataclass(frozen=True, slots=True)
class Deep:
    """How deep a search went, never ``AUTO``; why, in words, where ``AUTO`` chose; and what it brought."""

    depth: Depth
    reason: str
    grounds: Grounds


def at_depth(request: SearchRequest, depth: Depth) -> SearchRequest:
    """What to ask an index for an answer of this depth."""
    return replace(request, kinds=(Kind.STATED.value,)) if depth is Depth.EXPLICIT else request


def deepened(hits: Sequence[SearchHit], graphs: Iterable[Graph], request: SearchRequest, depth: Depth) -> Deep:
    """What comes with the ``hits``, which answer :func:`at_depth` of the ``request`` over ``graphs``, best first."""
    levels = {graph.key: graph for graph in graphs}
    reason = ""
    if depth is Depth.AUTO:
        depth, reason = _chosen(hits, levels)
    return Deep(depth, reason, grounds(hits, levels.values(), request, _HOPS[depth]))


def _chosen(hits: Sequence[SearchHit], levels: Mapping[GraphKey, Graph]) -> tuple[Depth, str]:
    """The depth that fits what was found, and why.

    A conclusion is worth its premises when it is the best answer, and all that it rests on when it is the best but
    shares little with the question, whose answer may then lie below.
    """
    if not hits:
        return Depth.EXPLICIT, "nothing was found"
    if not any(_is_conclusion(hit, levels) for hit in hits):
        return Depth.EXPLICIT, "nothing that was found is a conclusion"
    best = hits[0]
    name = repr(one_line(best.id))
    if not _is_conclusion(best, levels):
        return Depth.DERIVED, f"{name}, the best match, was stated"
    if best.strength >= FIRM:
        return Depth.PREMISES, f"{name}, the best match, is a conclusion"
    measured = f"{best.strength:.2f} where {FIRM:.2f} is firm"
    return Depth.ANCESTRY, f"{name}, the best match, is a conclusion that shares little with the query ({measured})"


def _is_conclusion(hit: SearchHit, levels: Mapping[GraphKey, Graph]) -> bool:
    graph = levels.get(hit.graph)
    return graph is not None and hit.id in graph.nodes and graph.nodes[hit.id].kind is Kind.DERIVED
