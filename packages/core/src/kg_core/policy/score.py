"""What a node is worth, as a place among others: recency, connectedness and usefulness, each as a percentile."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from kg_core.model import DAY, USER, USER_PREFIX, EndKind, StampKind, Tier, end_kind
from kg_core.model.steps import MANY, SLICE, freed_steps, sorted_steps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kg_core.model import Graph, Millis, Node, Use
    from kg_core.model.steps import Steps

RECENCY: Final = 0.25
CONNECTEDNESS: Final = 0.40
USEFULNESS: Final = 0.35

_IN: Final = 0.66
_OUT: Final = 0.33
_TO_ARCHIVED: Final = 0.2
"""Weight of an edge to an archived neighbour; to an active one it is 1, to an orphaned one 0."""
_HUB: Final = 0.5
HALF_LIFE: Final[Millis] = 90 * DAY


class Raw(NamedTuple):
    """The factors before they are ranked: a time in ms, and two sums."""

    recency: Millis
    connectedness: float
    usefulness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """One factor of a score: its raw value, its place in the pool (0–1) and what it weighs."""

    raw: float
    percentile: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a node has its score.

    ``place`` is its place by it, from 1, among the ``pool`` and itself; ``in_pool`` is false for one that was ranked
    against a pool it is not part of.
    """

    id: str
    score: float
    place: int
    pool: int
    in_pool: bool
    recency: Factor
    connectedness: Factor
    usefulness: Factor


def score_steps(graph: Graph, pool: Collection[str], now: Millis, user: Graph | None = None) -> Steps[dict[str, float]]:
    """The score, 0 to 1, of each id of ``pool`` among the others, in small steps. Renaming nodes does not change it.

    ``user`` is the user's graph: with it, an edge to one of its nodes weighs what that node's tier says.
    """
    return (yield from combined_steps((yield from raw_steps(graph, pool, now, user))))


def raw_steps(graph: Graph, ids: Iterable[str], now: Millis, user: Graph | None = None) -> Steps[dict[str, Raw]]:
    """The factors of nodes before they are ranked, in small steps."""
    raws: dict[str, Raw] = {}
    for number, node_id in enumerate(ids, start=1):
        raws[node_id] = raw(graph, node_id, now, user)
        if number % SLICE == 0:
            yield
    return raws


def combined_steps(raws: Mapping[str, Raw]) -> Steps[dict[str, float]]:
    """The scores of nodes with these raw factors, in small steps."""
    columns: list[list[float]] = []
    for column in zip(*raws.values(), strict=True):
        places = yield from percentile_steps(column)
        columns.append(places)
    ids = list(raws)
    found: dict[str, float] = {}
    for start in range(0, len(ids), MANY):
        some = slice(start, start + MANY)
        found.update(zip(ids[some], weigh(*(column[some] for column in columns)), strict=True))
        if start:
            yield
    return found


def weigh(recency: Sequence[float], connectedness: Sequence[float], usefulness: Sequence[float]) -> list[float]:
    """The scores from the three columns of percentiles."""
    return [
        RECENCY * r + CONNECTEDNESS * c + USEFULNESS * u
        for r, c, u in zip(recency, connectedness, usefulness, strict=True)
    ]


def explained(graph: Graph, node_id: str, pool: Collection[str], now: Millis, user: Graph | None) -> Steps[Explanation]:
    """How the score of a node of ``graph`` comes about, in small steps."""
    ids = yield from sorted_steps({*pool, node_id})
    raws = yield from raw_steps(graph, ids, now, user)
    own = ids.index(node_id)
    columns: list[list[float]] = []
    factors: list[Factor] = []
    for column, weight in zip(zip(*raws.values(), strict=True), (RECENCY, CONNECTEDNESS, USEFULNESS), strict=True):
        columns.append((yield from percentile_steps(column)))
        factors.append(Factor(raw=column[own], percentile=columns[-1][own], weight=weight))
        yield
    scores = weigh(*columns)
    yield
    score = scores[own]
    place = 1 + sum(each > score for each in scores)
    yield from freed_steps(scores, *columns)
    return Explanation(
        id=node_id,
        score=score,
        place=place,
        pool=len(pool),
        in_pool=node_id in pool,
        recency=factors[0],
        connectedness=factors[1],
        usefulness=factors[2],
    )


def percentile_steps(values: Sequence[float]) -> Steps[list[float]]:
    """The place of each value, 0 to 1, in small steps. Equal values share their average place; one alone is at 0.5."""
    last = len(values) - 1
    if last < 1:
        return [0.5] * len(values)
    counts = Counter(values)
    if len(values) > MANY:
        yield
    in_order = yield from sorted_steps(counts)
    places: dict[float, float] = {}
    start = 0
    for number, value in enumerate(in_order, start=1):
        end = start + counts[value]
        places[value] = (start + end - 1) / 2 / last
        start = end
        if number % MANY == 0:
            yield
    found: list[float] = []
    for first in range(0, len(values), MANY):
        found += [places[value] for value in values[first : first + MANY]]
        if first:
            yield
    return found


def raw(graph: Graph, node_id: str, now: Millis, user: Graph | None = None) -> Raw:
    """The factors of one node before they are ranked."""
    use = graph.use_of(node_id)
    return Raw(
        recency(graph.nodes[node_id], use, now),
        ties(graph, node_id, use, user).strength(),
        usefulness(use, now),
    )


def recency(node: Node, use: Use, now: Millis) -> Millis:
    """The latest of content change, read by id and credit by a working context; a future time counts as now."""
    latest = max(changed_at(node, use), use.read_at)
    for stamp in use.stamps:
        if stamp.kind is not StampKind.MAINTENANCE and stamp.at > latest:
            latest = stamp.at
    return min(latest, now)


def changed_at(node: Node, use: Use) -> Millis:
    """When a working context or a person last changed the node; 0 when nothing tells."""
    return use.activity_at or (node.written.at if node.written else 0) or node.created


def usefulness(use: Use, now: Millis) -> float:
    """The stamps, each halved every 90 days."""
    if not use.stamps:
        return 0.0
    return math.fsum(0.5 ** (max(0, now - stamp.at) / HALF_LIFE) for stamp in use.stamps)


@dataclass(slots=True)
class Ties:
    """A node's edges counted: in and out, by the tier of the neighbour, and all of its edges' ends that exist.

    Whole numbers, so that the order of edges cannot change the last bit of a sum and split a tie.
    """

    into: int = 0
    into_archived: int = 0
    out: int = 0
    out_archived: int = 0
    ends: int = 0

    def add(self, tier: Tier | None, *, inward: bool, count: int = 1) -> None:
        """Counts edges to neighbours of this tier; a negative count takes them away. Ends are not counted here."""
        if tier is Tier.ACTIVE:
            if inward:
                self.into += count
            else:
                self.out += count
        elif tier is Tier.ARCHIVED:
            if inward:
                self.into_archived += count
            else:
                self.out_archived += count

    def strength(self) -> float:
        """How strongly the node is tied to what is in sight, or how large a hub it is, whichever is more."""
        tied = _IN * (self.into + _TO_ARCHIVED * self.into_archived)
        tied += _OUT * (self.out + _TO_ARCHIVED * self.out_archived)
        return max(tied, _HUB * math.log1p(self.ends))


def ties(graph: Graph, node_id: str, use: Use, user: Graph | None = None) -> Ties:
    """The ties of a node; those of a user node to projects are counted in its use."""
    found = Ties()
    for source, _, target in graph.incident.get(node_id, ()):
        if target == node_id:
            tier, exists = _neighbour(graph, source, user)
            found.ends += exists
            found.add(tier, inward=True)
        if source == node_id:
            tier, exists = _neighbour(graph, target, user)
            found.ends += exists
            found.add(tier, inward=False)
    for _, count in use.inbound:
        found.into += count
        found.ends += count
    return found


def _neighbour(graph: Graph, end: str, user: Graph | None) -> tuple[Tier | None, bool]:
    """The tier of an edge's other end, where it has one that is known, and whether that end exists."""
    match end_kind(end):
        case EndKind.PATH:
            return None, True
        case EndKind.NODE:
            tier = graph.tier(end)
            return tier, tier is not None
        case EndKind.USER:
            level = graph if graph.key == USER else user
            if level is None:
                return None, True
            tier = level.tier(end.removeprefix(USER_PREFIX))
            return tier, tier is not None
