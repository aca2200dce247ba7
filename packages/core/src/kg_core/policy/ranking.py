"""What the edges of a graph say about the order of hits: corrections above what they correct, neighbours lifted."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from kg_core.model import DERIVED_FROM, Status
from kg_core.policy.items import key
from kg_core.policy.paths import Place, neighbours
from kg_core.render import all_replacements, standing
from kg_plugin_api import SearchHit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kg_core.model import Graph, GraphKey
    from kg_plugin_api import SearchRequest, SearchResults

LIFT: Final = 0.3
"""The part of a hit's score that its neighbours get on top of their own. hit@5 over the answerable questions of the dev
half: 0.25 → 0.957, 0.3 → 0.964; without any, those that name one lesson and need its neighbour lose an eighth."""
LIFTING: Final = 2
"""The neighbours of so many best hits are lifted. With 3, lessons of the user are pushed out by what hangs on those of
the project; with 1, hit@5 is 0.959."""
PASSING: Final = 3
"""A hit is passed by at most so many that are lifted over it, so that the two best of its own stay among the first
five: else lessons that hang together push out the one that a single rare word names. 2 costs 0.003 of hit@5."""
LEADING: Final = 0.5
"""The part of the best score that the best hit of another level needs to stand directly behind the best one. A project
has many more lessons than its user has habits; without this rule what hangs on the project's best hit is put before
the habit that was asked for. Over the answerable questions of the dev half the first answer is right for 556 instead of
544 of 667, and as many have it among the first five; with 0.4 two fewer have."""
HUB: Final = 16
"""What is tied to more nodes than this lifts none: it is about everything. It also bounds the work."""

INHERITED: Final = 0.5
"""The part of its strength that a superseded node leaves to what supersedes it. Who uses old words may mean another
thing: on the dev half a half brings the same lessons to mind as all of it, and nothing where silence is right."""


def ranked(results: SearchResults, graphs: Iterable[Graph], request: SearchRequest) -> SearchResults:
    """The hits with those that their edges bring in, best first: at most as many as asked for, and only such as asked
    for.

    A superseding node has at least the score and the evidence of what it replaces, stands above it, and is brought in
    when it is no hit of its own: whoever asks in the words of the old lesson means the new one. Neighbours of the best
    hits are lifted, across levels too, but for what a conclusion rests on: how much of that comes is what the depth
    of a search says.
    """
    levels = {graph.key: graph for graph in graphs}
    own = {hit.key for hit in results.hits}
    corrected = _corrected(results.hits, levels)
    hits = [hit for hit in _lifted(corrected, levels) if hit.key in own or admits(request, levels, hit.graph, hit.id)]
    return replace(results, hits=tuple(islice(_in_order(hits, corrected), max(0, request.limit))))


def _in_order(hits: Sequence[SearchHit], before: Sequence[SearchHit]) -> Iterator[SearchHit]:
    """The hits, best first, except that the leaders of the levels come before all others, and that no more than
    ``PASSING`` hits pass one that stood above them before.

    No score is above the one before it: what may not pass has the score of what it may not pass.
    """
    waiting = {hit.key: hit for hit in sorted(hits, key=lambda hit: -hit.score)}
    own = [hit for hit in sorted(before, key=lambda hit: -hit.score) if hit.key in waiting]
    leaders = _leaders(own)
    most = math.inf
    place = given = 0
    while waiting:
        while place < len(own) and own[place].key not in waiting:
            place += 1
        is_passed = place < len(own) and given - place >= PASSING
        hit = waiting.pop(leaders.pop(0) if leaders else own[place].key if is_passed else next(iter(waiting)))
        most = min(most, hit.score)
        given += 1
        yield hit if hit.score <= most else replace(hit, score=most)


def _leaders(hits: Sequence[SearchHit]) -> list[str]:
    """The key of the best hit and those of other levels' best ones that are nearly as good; hits come best first."""
    best: dict[GraphKey, SearchHit] = {}
    for hit in hits:
        best.setdefault(hit.graph, hit)
    return [hit.key for hit in best.values() if hit.score >= LEADING * hits[0].score]


def admits(request: SearchRequest, levels: Mapping[GraphKey, Graph], key: GraphKey, node_id: str) -> bool:
    """Whether a node that no index has checked passes the request's filters."""
    graph = levels[key]
    node = graph.nodes[node_id]
    return (
        key in request.graphs
        and (not request.tiers or graph.use_of(node_id).tier.value in request.tiers)
        and (not request.statuses or standing(graph, node_id).value in request.statuses)
        and (not request.kinds or node.kind.value in request.kinds)
        and (not request.observers or node.observer in request.observers)
        and (not request.observed or node.observed in request.observed)
        and all(tag in node.tags for tag in request.tags)
    )


def _corrected(hits: Sequence[SearchHit], levels: Mapping[GraphKey, Graph]) -> list[SearchHit]:
    """The hits, each superseded one directly below the nodes that supersede it."""
    own = {hit.key: hit for hit in hits}
    ordered: dict[str, SearchHit] = {}
    for hit in hits:
        graph = levels.get(hit.graph)
        for node_id in reversed(all_replacements(graph, hit.id) if graph is not None else []):
            name = key(hit.graph, node_id)
            heir = replace(hit, key=name, id=node_id, strength=hit.strength * INHERITED)
            ordered.setdefault(name, _stronger(own[name], heir) if name in own else heir)
        ordered.setdefault(hit.key, hit)
    return list(ordered.values())


def _stronger(hit: SearchHit, other: SearchHit) -> SearchHit:
    return replace(
        hit,
        score=max(hit.score, other.score),
        evidence=max(hit.evidence, other.evidence),
        rarity=max(hit.rarity, other.rarity),
        in_title=hit.in_title or other.in_title,
        strength=max(hit.strength, other.strength),
    )


def _lifted(hits: Sequence[SearchHit], levels: Mapping[GraphKey, Graph]) -> list[SearchHit]:
    """The hits, and the current neighbours of the best ones, with what these give them."""
    gains: dict[Place, float] = {}
    for hit in islice((hit for hit in hits if _is_current(Place(hit.graph, hit.id), levels)), LIFTING):
        for place in _near(Place(hit.graph, hit.id), levels):
            gains[place] = max(gains.get(place, 0.0), LIFT * hit.score)
    found = [replace(hit, score=hit.score + gains.pop(Place(hit.graph, hit.id), 0.0)) for hit in hits]
    brought = (
        SearchHit(key=key(place.graph, place.id), graph=place.graph, id=place.id, score=gain)
        for place, gain in sorted(gains.items())
    )
    return [*found, *brought]


def _near(place: Place, levels: Mapping[GraphKey, Graph]) -> Iterable[Place]:
    """The current neighbours of a node; none of a hub."""
    near = dict.fromkeys(islice(_others(place, levels), HUB + 1))
    return near if len(near) <= HUB else ()


def _others(place: Place, levels: Mapping[GraphKey, Graph]) -> Iterator[Place]:
    return (
        near
        for near, _, edge in neighbours(place, levels)
        if edge.rel != DERIVED_FROM and near != place and _is_current(near, levels)
    )


def _is_current(place: Place, levels: Mapping[GraphKey, Graph]) -> bool:
    graph = levels.get(place.graph)
    return graph is not None and place.id in graph.nodes and standing(graph, place.id) is Status.CURRENT
