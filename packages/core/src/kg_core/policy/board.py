"""The working state of a compaction plan: tiers that may be moved, with the charge and the ties that follow from them.

Costs are additive: moving a node changes its own lines and those of its edges, and nothing is rendered again.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from kg_core.model import Tier
from kg_core.model.limits import ARCHIVED_LINES
from kg_core.model.steps import MANY, SLICE, freed_steps, sorted_steps
from kg_core.policy.fresh import fresh_steps
from kg_core.policy.score import percentile_steps, recency, ties, usefulness, weigh
from kg_core.render import Presence, active_cost, archived_cost, edge_cost, presence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kg_core.model import Graph, Millis
    from kg_core.model.steps import Steps
    from kg_core.policy.score import Ties

_ELSEWHERE: Final = -1


class Board:
    """The nodes of a level that are not orphaned, and locked ones, by number in the order of their ids.

    ``held`` ones are locked or fresh: they are active whatever they cost. ``fresh`` ones are not scored. A board is
    filled by :meth:`fill` and lives for one plan.
    """

    def __init__(self, graph: Graph, user: Graph | None, now: Millis) -> None:
        self.graph = graph
        self.ids: list[str] = []
        self.tiers: list[Tier] = []
        self.fresh: list[bool] = []
        self.held: list[bool] = []
        self.archived_charge = 0
        self._user = user
        self._now = now
        self._visible = 0  # charge of active lines and shown edges
        self._line: list[int] = []
        self._trace: list[int] = []
        self._edges: list[list[tuple[int, int, int, int]]] = []
        self._ties: list[Ties] = []
        self._recency: list[Millis] = []
        self._usefulness: list[float] = []

    @property
    def charge(self) -> int:
        """What the level costs now."""
        return self._visible + min(self.archived_charge, ARCHIVED_LINES)

    def fill(self, fresh_budget: int) -> Steps[None]:
        """Takes everything from the graph, in steps."""
        graph = self.graph
        ids = {*graph.tiers[Tier.ACTIVE], *graph.tiers[Tier.ARCHIVED], *graph.locked}
        yield
        self.ids = yield from sorted_steps(ids)
        for index, node_id in enumerate(self.ids, start=1):
            self.tiers.append(graph.use_of(node_id).tier)
            if index % MANY == 0:
                yield
        newest = yield from fresh_steps(graph, self._user, fresh_budget)
        number = {node_id: index for index, node_id in enumerate(self.ids)}
        yield
        self._edges = [[] for _ in self.ids]
        for index, node_id in enumerate(self.ids):
            node, use = graph.nodes[node_id], graph.use_of(node_id)
            self.fresh.append(node_id in newest)
            self.held.append(node_id in newest or node.locked)
            self._line.append(active_cost(graph, node_id))
            self._trace.append(archived_cost(node_id))
            self._ties.append(ties(graph, node_id, use, self._user))
            self._recency.append(recency(node, use, self._now))
            self._usefulness.append(usefulness(use, self._now))
            self._connect(index, node_id, number)
            if index % SLICE == SLICE - 1:
                yield
        self.archived_charge = sum(self._trace[index] for index in self.numbers(Tier.ARCHIVED))
        for index, edges in enumerate(self._edges):
            self._visible += self._own(index)
            self._visible += sum(self._shown(edge) for edge in edges if index == _owner(edge))
            if index % SLICE == SLICE - 1:
                yield

    def let_go(self) -> Steps[None]:
        """Frees what the board knows, in steps. It is of no use any more."""
        yield from freed_steps(self._edges, self._ties)

    def numbers(self, tier: Tier) -> list[int]:
        """The nodes of a tier."""
        return [index for index, each in enumerate(self.tiers) if each is tier]

    def move(self, index: int, tier: Tier) -> None:
        """Moves a node to a tier."""
        before = self.tiers[index]
        edges = self._edges[index]
        self._visible -= self._own(index) + sum(map(self._shown, edges))
        self.archived_charge -= self._trace[index] if before is Tier.ARCHIVED else 0
        self.tiers[index] = tier
        self._visible += self._own(index) + sum(map(self._shown, edges))
        self.archived_charge += self._trace[index] if tier is Tier.ARCHIVED else 0
        for source, target, _, _ in edges:
            if target == index and source >= 0:
                self._ties[source].add(before, inward=False, count=-1)
                self._ties[source].add(tier, inward=False)
            if source == index and target >= 0:
                self._ties[target].add(before, inward=True, count=-1)
                self._ties[target].add(tier, inward=True)

    def least_charge_with(self, promoted: Iterable[int]) -> int:
        """What the level costs at least when ``promoted`` become active."""
        active = chain(self.numbers(Tier.ACTIVE), promoted)
        return sum(self._line[index] for index in active)

    def ranking(self, pool: Sequence[int]) -> Steps[Ranking]:
        """The scores of a pool; they follow the moves, as long as the pool stays the same."""
        recent = yield from percentile_steps([self._recency[index] for index in pool])
        yield
        useful = yield from percentile_steps([self._usefulness[index] for index in pool])
        yield
        return Ranking(pool, recent, useful, self._ties)

    def _connect(self, index: int, node_id: str, number: dict[str, int]) -> None:
        """Adds the edges that a node can be charged for; each is added once, to both of its ends on the board."""
        for key in self.graph.incident.get(node_id, ()):
            source, target = number.get(key.source), number.get(key.target)
            if source is not None and source != index:
                continue
            ends = [
                _ELSEWHERE if presence(self.graph, self._user, end) is Presence.ELSEWHERE else None
                for end in (key.source, key.target)
            ]
            source = source if source is not None else ends[0]
            target = target if target is not None else ends[1]
            if source is None or target is None:
                continue
            edge = self.graph.edges[key]
            costs = edge_cost(edge, under_source=True), edge_cost(edge, under_source=False)
            for end in {source, target} - {_ELSEWHERE}:
                self._edges[end].append((source, target, *costs))

    def _own(self, index: int) -> int:
        return self._line[index] if self.tiers[index] is Tier.ACTIVE else 0

    def _shown(self, edge: tuple[int, int, int, int]) -> int:
        """What an edge costs now: nothing when an end is orphaned or none is active."""
        source, target, under_source, under_target = edge
        source_tier = self.tiers[source] if source >= 0 else None
        target_tier = self.tiers[target] if target >= 0 else None
        if source_tier is Tier.ORPHANED or target_tier is Tier.ORPHANED:
            return 0
        if source_tier is Tier.ACTIVE:
            return under_source
        return under_target if target_tier is Tier.ACTIVE else 0


def _owner(edge: tuple[int, int, int, int]) -> int:
    """The end that counts an edge, so that it is counted once."""
    return edge[0] if edge[0] >= 0 else edge[1]


class Ranking:
    """The scores of one pool. Only ties change with the tiers, so that only they are ranked again."""

    def __init__(
        self, pool: Sequence[int], recent: Sequence[float], useful: Sequence[float], tied: Sequence[Ties]
    ) -> None:
        self._pool = pool
        self._recent = recent
        self._useful = useful
        self._ties = tied

    def scores(self) -> Steps[dict[int, float]]:
        """The scores as the tiers are now, by number, in small steps."""
        strengths: list[float] = []
        for number, index in enumerate(self._pool, start=1):
            strengths.append(self._ties[index].strength())
            if number % MANY == 0:
                yield
        tied = yield from percentile_steps(strengths)
        yield
        return dict(zip(self._pool, weigh(self._recent, tied, self._useful), strict=True))
