"""What the conclusions among the hits of a search rest on, down to a fixed ceiling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.policy.derivation import premises
from kg_core.policy.paths import Place
from kg_core.policy.ranking import admits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kg_core.model import Edge, Graph, GraphKey
    from kg_plugin_api import SearchHit, SearchRequest

HOPS: Final = 4
"""So many steps of evidence below a hit are shown; who wants more reads the lesson at the end."""
MOST: Final = 30
"""So many lessons come with the hits at most, the nearest first."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """The lessons that come with the hits, nearest first, and the evidence among all of them.

    ``withheld`` is how many premises do not pass the request's filters; what is below them alone does not come either.
    ``is_cut`` says that there is more below the ceiling.
    """

    places: tuple[Place, ...] = ()
    edges: tuple[tuple[GraphKey, Edge], ...] = ()
    withheld: int = 0
    is_cut: bool = False


def grounds(hits: Sequence[SearchHit], graphs: Iterable[Graph], request: SearchRequest, hops: int) -> Grounds:
    """What the hits rest on, ``hops`` steps deep and at most :data:`HOPS`; the request's filters bind it too, but for
    kinds. Fewer hops give the first of the lessons that more hops give, and circles end where they began.
    """
    levels = {graph.key: graph for graph in graphs}
    answer = dict.fromkeys(Place(hit.graph, hit.id) for hit in hits if hit.graph in levels)
    brought: dict[Place, None] = {}
    withheld: dict[Place, None] = {}
    is_cut = False
    rim = list(answer)
    for _ in range(min(hops, HOPS)):
        beyond: list[Place] = []
        for place in _below(rim, levels):
            if place in answer or place in withheld:
                continue
            if not admits(request, levels, place.graph, place.id):
                withheld[place] = None
            elif len(brought) < MOST:
                answer[place] = brought[place] = None
                beyond.append(place)
            else:
                is_cut = True
        rim = beyond
    if hops >= HOPS:
        is_cut = is_cut or any(place not in answer and place not in withheld for place in _below(rim, levels))
    return Grounds(tuple(brought), tuple(_evidence(answer, levels)), len(withheld), is_cut)


def _below(rim: Iterable[Place], levels: Mapping[GraphKey, Graph]) -> Iterable[Place]:
    """The premises of these lessons that are there."""
    for place in rim:
        for step in premises(place, levels):
            graph = levels.get(step.place.graph)
            if graph is not None and step.place.id in graph.nodes:
                yield step.place


def _evidence(answer: Iterable[Place], levels: Mapping[GraphKey, Graph]) -> Iterable[tuple[GraphKey, Edge]]:
    """The evidence between lessons of the answer, in their order."""
    among = dict.fromkeys(answer)
    for place in among:
        for step in premises(place, levels):
            if step.place in among:
                yield step.graph, levels[step.graph].edges[step.edge]
