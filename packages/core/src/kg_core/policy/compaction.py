"""Compaction: which gists stay in sight when a level outgrows its budget. A plan, not an action."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kg_core.model import Change, Tier
from kg_core.model.limits import ARCHIVED_LINES, BUDGET, FILL
from kg_core.model.steps import SLICE, sorted_steps
from kg_core.policy.board import Board
from kg_core.policy.fresh import FRESH_BUDGET

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kg_core.model import Graph, Millis, Use
    from kg_core.model.steps import Steps
    from kg_core.policy.board import Ranking

MARGIN: Final = 0.05
"""By so much a node must beat another to take its place."""
SWAPS: Final = 3
"""At most so many places change hands in one plan that has nothing else to do."""
_JUDGED: Final = 8
"""So many archived nodes are tried for one place; trying one ranks the pool again."""
_RISE: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a level may cost, in characters: above ``most`` nodes are archived until ``fill`` is reached, below ``fill``
    archived ones come back; the fresh tier costs at most ``fresh``; archived lines beyond ``archived`` are orphaned.
    """

    most: int = BUDGET
    fill: int = FILL
    fresh: int = FRESH_BUDGET
    archived: int = ARCHIVED_LINES


def planned(
    graph: Graph, user: Graph | None, now: Millis, settled: Collection[str] = (), budget: Budget = Budget()
) -> Steps[Change | None]:
    """The tiers to change, or ``None``, in small steps. Locked and fresh nodes are active; the others by score as the
    budget allows.

    The plan is made for ``graph`` as given: apply it only where the nodes that it touches have not changed since.
    ``settled`` are the ids that plans have moved since the last change by anybody else: they are neither promoted nor
    swapped again, so that no plan moves back what an earlier one moved. The caller collects them from ``change.use``
    and forgets them with the next write to the graph; after a restart there are none.
    """
    board = Board(graph, user, now)
    yield from board.fill(budget.fresh)
    planner = _Planner(board, frozenset(settled), budget)
    yield from planner.run()
    change = yield from _change(board, now)
    yield from board.let_go()
    return change


class _Planner:
    """The steps of one plan over one board."""

    def __init__(self, board: Board, settled: frozenset[str], budget: Budget) -> None:
        self._board = board
        self._budget = budget
        self._free = [node_id not in settled and not board.held[n] for n, node_id in enumerate(board.ids)]

    def run(self) -> Steps[None]:
        """Moves the nodes on the board."""
        board = self._board
        for index, held in enumerate(board.held):
            if held and board.tiers[index] is not Tier.ACTIVE:
                board.move(index, Tier.ACTIVE)
        before = list(board.tiers)
        yield
        if board.charge > self._budget.most:
            yield from self._archive()
        yield from self._refill()
        if board.tiers == before:
            yield from self._rebalance()
        if board.archived_charge > self._budget.archived:
            yield from self._orphan()
            yield from self._refill()

    def _ranking(self) -> Steps[Ranking]:
        """Active and archived nodes in one pool; fresh ones have no score."""
        board = self._board
        pool = [n for n, tier in enumerate(board.tiers) if tier is not Tier.ORPHANED and not board.fresh[n]]
        return (yield from board.ranking(pool))

    def _archive(self) -> Steps[None]:
        """Lowest score first; then each node archived before takes the place of one that it beats."""
        board = self._board
        archived_before = board.numbers(Tier.ARCHIVED)
        pool = [n for n in board.numbers(Tier.ACTIVE) if not board.fresh[n]]
        scores = yield from (yield from board.ranking(pool)).scores()
        yield
        archived: list[int] = []
        for index in (yield from _worst_first(pool, scores)):
            if board.charge <= self._budget.fill:
                break
            if not board.held[index]:
                board.move(index, Tier.ARCHIVED)
                archived.append(index)
                if len(archived) % SLICE == 0:
                    yield
        yield
        scores = yield from (yield from self._ranking()).scores()
        yield
        archived = yield from _worst_first(archived, scores)
        for index in (yield from _best_first(archived_before, scores)):
            if not archived or scores[index] - scores[archived[0]] < MARGIN:
                break
            if self._moves(index, self._budget.most):
                del archived[0]
        yield

    def _refill(self) -> Steps[None]:
        """The best archived node that fits, again and again; or all of them, when all fit."""
        board, fill = self._board, self._budget.fill
        if board.charge >= fill:
            return
        archived = [n for n in board.numbers(Tier.ARCHIVED) if self._free[n]]
        if board.least_charge_with(archived) <= fill:
            for index in archived:
                board.move(index, Tier.ACTIVE)
            if board.charge <= fill:
                return
            for index in archived:
                board.move(index, Tier.ARCHIVED)
        ranking = yield from self._ranking()
        yield
        promoted = True
        while promoted and archived:
            promoted = False
            scores = yield from ranking.scores()
            yield
            archived = yield from _best_first(archived, scores)
            yield
            for tried, index in enumerate(archived):
                if self._moves(index, fill):
                    del archived[tried]
                    promoted = True
                    break
                if tried % SLICE == SLICE - 1:
                    yield

    def _rebalance(self) -> Steps[None]:
        """The best archived node for the worst active one, as long as that makes what is in sight worth more."""
        board = self._board
        ranking = yield from self._ranking()
        for _ in range(SWAPS):
            scores = yield from ranking.scores()
            yield
            active = [n for n in board.numbers(Tier.ACTIVE) if self._free[n]]
            worst = min(active, key=lambda n: (scores[n], n), default=None)
            if worst is None:
                return
            better = [n for n in board.numbers(Tier.ARCHIVED) if self._free[n] and scores[n] - scores[worst] >= MARGIN]
            better = yield from _best_first(better, scores)
            if not (yield from self._swap(worst, better, ranking, self._in_sight(scores))):
                return

    def _swap(self, worst: int, better: list[int], ranking: Ranking, worth: float) -> Steps[bool]:
        """Swaps ``worst`` for the first of ``better`` that fits and is still better once the swap is made."""
        board = self._board
        judged = 0
        board.move(worst, Tier.ARCHIVED)
        for index in better:
            if not self._moves(index, self._budget.most):
                continue
            scores = yield from ranking.scores()
            yield
            if scores[index] - scores[worst] >= MARGIN and self._in_sight(scores) > worth + _RISE:
                return True
            board.move(index, Tier.ARCHIVED)
            judged += 1
            if judged == _JUDGED:
                break
        board.move(worst, Tier.ACTIVE)
        return False

    def _orphan(self) -> Steps[None]:
        """Archived lines beyond their own budget, lowest score first."""
        board = self._board
        scores = yield from (yield from self._ranking()).scores()
        yield
        for moved, index in enumerate((yield from _worst_first(board.numbers(Tier.ARCHIVED), scores))):
            if board.archived_charge <= self._budget.archived:
                return
            board.move(index, Tier.ORPHANED)
            if moved % SLICE == SLICE - 1:
                yield

    def _moves(self, index: int, most: int) -> bool:
        """Promotes a node unless that would cost more than ``most``."""
        board = self._board
        board.move(index, Tier.ACTIVE)
        if board.charge <= most:
            return True
        board.move(index, Tier.ARCHIVED)
        return False

    def _in_sight(self, scores: dict[int, float]) -> float:
        """What the active nodes are worth together."""
        return sum(score for index, score in scores.items() if self._board.tiers[index] is Tier.ACTIVE)


def _worst_first(numbers: Iterable[int], scores: Mapping[int, float]) -> Steps[list[int]]:
    """Nodes by score, equal ones by number."""
    return [number for _, number in (yield from sorted_steps((scores[number], number) for number in numbers))]


def _best_first(numbers: Iterable[int], scores: Mapping[int, float]) -> Steps[list[int]]:
    """Nodes by score from the best down, equal ones by number."""
    return [number for _, number in (yield from sorted_steps((-scores[number], number) for number in numbers))]


def _change(board: Board, now: Millis) -> Steps[Change | None]:
    use: dict[str, Use] = {}
    for index, node_id in enumerate(board.ids):
        before = board.graph.use_of(node_id)
        tier = board.tiers[index]
        if before.tier is not tier:
            use[node_id] = replace(before, tier=tier, orphaned_at=now if tier is Tier.ORPHANED else 0)
        if index % SLICE == SLICE - 1:
            yield
    return Change(graph=board.graph.key, use=use) if use else None
