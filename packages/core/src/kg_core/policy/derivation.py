"""The evidence graph: which lessons were concluded from which, over all levels, and circles in it.

Its edges are those with the relation ``derived-from``, from a conclusion to a premise. An end counts by its name,
whether such a node is there or not: so a node that comes back, or comes after its edges, can close no circle.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from kg_core.model import DERIVED_FROM, MAINTAIN, PROJECT_PREFIX, USER, USER_PREFIX, EndKind, end_kind
from kg_core.policy.paths import Place
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kg_core.model import Change, EdgeKey, Graph, GraphKey

LOOKED_AT: Final = 5_000
"""So many edges are looked at before a write gives up to tell whether it closes a circle: about 6 ms."""
_LEAST: Final = 500
"""So many for each piece of a write that brings much evidence."""
_NAMED: Final = 12
"""Lessons of a circle that a sentence names."""


class Step(NamedTuple):
    """One piece of evidence: the lesson at its other end, and the edge with the graph that holds it."""

    place: Place
    graph: GraphKey
    edge: EdgeKey


def premises(place: Place, levels: Mapping[GraphKey, Graph]) -> list[Step]:
    """What a lesson was concluded from, directly: its own level's edges first, in order."""
    return _steps(place, levels, towards_premises=True)


def conclusions(place: Place, levels: Mapping[GraphKey, Graph]) -> list[Step]:
    """What was concluded from a lesson, directly: its own level's edges first, in order."""
    return _steps(place, levels, towards_premises=False)


def place_of(graph: GraphKey, end: str) -> Place | None:
    """The lesson that an end of an edge in ``graph`` names; ``None`` for a file."""
    match end_kind(end):
        case EndKind.NODE:
            return Place(graph, end)
        case EndKind.USER:
            return Place(USER, end.removeprefix(USER_PREFIX))
        case EndKind.PATH:
            return None


def circle(
    conclusion: Place, premise: Place, levels: Mapping[GraphKey, Graph], most: int = LOOKED_AT
) -> tuple[Place, ...] | None:
    """The lessons from ``premise`` on, each concluded from the next, up to ``conclusion``: with an edge from
    ``conclusion`` to ``premise`` they are a circle. Empty when there is no such way; ``None`` when ``most`` edges do
    not suffice to tell.

    It is looked for from both ends, so that a new conclusion, or one from what was stated, costs next to nothing.
    """
    down = _Search(premise, towards_premises=True)
    up = _Search(conclusion, towards_premises=False)
    if premise == conclusion:
        return (premise,)
    while down.waiting and up.waiting:
        if down.looked_at + up.looked_at > most:
            return None
        for one, other in ((up, down), (down, up)):
            met = one.advance(levels, other)
            if met is not None:
                return (*reversed(down.way(met)), *up.way(met)[1:])
            if not one.waiting:
                break
    return ()


def unknown(conclusion: Place, premise: Place, levels: Mapping[GraphKey, Graph]) -> frozenset[GraphKey]:
    """The graphs that are not at hand and may hold a part of a circle that this edge would close.

    Empty when what is at hand suffices to tell, or to see that so many edges as are looked at will not.
    """
    lacking: set[GraphKey] = set()
    for start, towards_premises in ((conclusion, False), (premise, True)):
        search = _Search(start, towards_premises=towards_premises)
        while search.waiting and search.looked_at <= LOOKED_AT:
            search.advance(levels, None)
        unseen = {key for place in search.reached for key in _speaking_of(place, levels)}
        if not unseen:  # whatever the others hold, no way leads through them on this side
            return frozenset()
        lacking |= unseen
    return frozenset(lacking)


def check(changes: Sequence[Change], levels: Mapping[GraphKey, Graph]) -> None:
    """Raises REFUSED when the changes would close a circle of evidence, naming it.

    ``levels`` are the graphs at hand without the changes. A circle that is there already is none of the writer's.
    """
    added = list(_added(changes, levels))
    if not added:
        return
    after = dict(levels)
    for change in changes:
        after[change.graph] = after[change.graph].apply(change)
    former = {Place(change.graph, new): old for change in changes for old, new in change.renamed.items()}
    for conclusion, premise in added:
        way = circle(conclusion, premise, after, max(LOOKED_AT // len(added), _LEAST))
        if way is None:
            raise KgError(
                Code.REFUSED,
                f"Not written: so much rests on {conclusion.id!r}, and {premise.id!r} on so much, that it cannot be "
                "told in time whether the one rests on the other. Name a premise that is nearer to what was seen.",
                {"conclusion": conclusion.id, "premise": premise.id},
            )
        if way and not _was_there((conclusion, *way), levels, former):
            raise KgError(
                Code.REFUSED,
                f"Not written: {conclusion.id!r} would rest on itself: {named((conclusion, *way))}. Evidence leads "
                "from what is concluded to what was there before; leave this edge out, or delete the one that is "
                "wrong (kg_delete_edge).",
                {"circle": [place.id for place in (conclusion, *way)]},
            )


def circles(graph: Graph, levels: Mapping[GraphKey, Graph]) -> Iterator[tuple[Place, ...] | None]:
    """The circles in all that the evidence of ``graph`` leads to, each from a lesson back to it; ``None`` for every
    edge and every lesson that was looked at. There is one at least when there are any.
    """
    done: set[Place] = set()
    for key in graph.edges:
        start = place_of(graph.key, key.source) if key.rel == DERIVED_FROM else None
        if start is not None and start not in done:
            yield from _circles_from(start, levels, done)
        yield None


def exists(way: Sequence[Place], levels: Mapping[GraphKey, Graph]) -> bool:
    """Whether each lesson of the way rests on the next, directly."""
    return all(
        premise in (step.place for step in premises(conclusion, levels)) for conclusion, premise in pairwise(way)
    )


def named(way: Sequence[Place]) -> str:
    """A way from conclusion to premise, in words that are one line. Levels are named where it crosses them."""
    crosses = len({place.graph for place in way}) > 1
    names = [f"{place.graph.removeprefix(PROJECT_PREFIX)}:{place.id}" if crosses else place.id for place in way]
    if len(names) > _NAMED:
        half = _NAMED // 2
        names = [*names[:half], f"({len(names) - 2 * half} more)", *names[-half:]]
    return f" --{DERIVED_FROM}--> ".join(names)


@dataclass(slots=True)
class _Search:
    """A breadth-first search from one lesson in one direction, a lesson at a time."""

    start: Place
    towards_premises: bool
    reached: dict[Place, Place | None] = field(default_factory=dict)
    """Each lesson with the one that it was reached from."""
    waiting: deque[Place] = field(default_factory=deque)
    looked_at: int = 0

    def __post_init__(self) -> None:
        self.reached[self.start] = None
        self.waiting.append(self.start)

    def advance(self, levels: Mapping[GraphKey, Graph], other: _Search | None) -> Place | None:
        """Looks around the next lesson; the first one found that the ``other`` search has reached."""
        place = self.waiting.popleft()
        self.looked_at += 1 + sum(len(graph.incident.get(end, ())) for graph, end in _ends(place, levels))
        for step in _steps(place, levels, towards_premises=self.towards_premises):
            if step.place in self.reached:
                continue
            self.reached[step.place] = place
            self.waiting.append(step.place)
            if other is not None and step.place in other.reached:
                return step.place
        return None

    def way(self, place: Place) -> list[Place]:
        """From a reached lesson back to the start."""
        found: list[Place] = []
        current: Place | None = place
        while current is not None:
            found.append(current)
            current = self.reached[current]
        return found


def _steps(place: Place, levels: Mapping[GraphKey, Graph], *, towards_premises: bool) -> list[Step]:
    found: list[Step] = []
    for graph, end in _ends(place, levels):
        keys = [
            key
            for key in graph.incident.get(end, ())
            if key.rel == DERIVED_FROM and (key.source if towards_premises else key.target) == end
        ]
        for key in sorted(keys):
            other = place_of(graph.key, key.target if towards_premises else key.source)
            if other is not None:
                found.append(Step(other, graph.key, key))
    return found


def _ends(place: Place, levels: Mapping[GraphKey, Graph]) -> Iterator[tuple[Graph, str]]:
    """How the edges of each level spell a lesson."""
    own = levels.get(place.graph)
    if own is not None:
        yield own, place.id
    if place.graph == USER:
        for level in levels.values():
            yield level, USER_PREFIX + place.id


def _speaking_of(place: Place, levels: Mapping[GraphKey, Graph]) -> Iterator[GraphKey]:
    """The graphs that are not at hand and have edges of a user's lesson, as far as its use tells; the maintainer's may
    always have some.
    """
    if place.graph != USER or USER not in levels:
        return
    if MAINTAIN not in levels:
        yield MAINTAIN
    for slug, _ in levels[USER].use_of(place.id).inbound:
        if PROJECT_PREFIX + slug not in levels:
            yield PROJECT_PREFIX + slug


def _added(changes: Sequence[Change], levels: Mapping[GraphKey, Graph]) -> Iterator[tuple[Place, Place]]:
    """The new evidence in the changes: conclusion and premise."""
    for change in changes:
        for key, edge in change.edges.items():
            if edge is not None and key.rel == DERIVED_FROM and key not in levels[change.graph].edges:
                conclusion, premise = place_of(change.graph, key.source), place_of(change.graph, key.target)
                if conclusion is not None and premise is not None:
                    yield conclusion, premise


def _was_there(way: Sequence[Place], levels: Mapping[GraphKey, Graph], former: Mapping[Place, str]) -> bool:
    """Whether every step of a circle is as old as the change, under the names of then."""
    return exists([Place(place.graph, former.get(place, place.id)) for place in way], levels)


def _circles_from(
    start: Place, levels: Mapping[GraphKey, Graph], done: set[Place]
) -> Iterator[tuple[Place, ...] | None]:
    """Depth first, without recursion: evidence may be deeper than a stack. Adds what it has left to ``done``."""
    way = {start: iter(premises(start, levels))}
    while way:
        current = next(reversed(way))
        step = next(way[current], None)
        if step is None:
            done.add(current)
            del way[current]
        elif step.place in way:
            names = list(way)
            yield (*names[names.index(step.place) :], step.place)
        elif step.place not in done:
            way[step.place] = iter(premises(step.place, levels))
        yield None
