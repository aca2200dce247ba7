"""Why a node is in sight or not, and what would bring it back: tried on a copy, not guessed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from kg_core.model import Change, Tier
from kg_core.model.steps import SLICE
from kg_core.policy.board import Board
from kg_core.policy.compaction import Budget, planned
from kg_core.policy.credits import endorsed
from kg_core.policy.score import explained

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.model import Graph, Millis, Use
    from kg_core.model.steps import Steps
    from kg_core.policy.score import Explanation

_BUDGET: Final = Budget()
_PLANS: Final = 5
"""So many compaction plans in a row are tried; by then they have come to rest."""


class Way(NamedTuple):
    """Something that would bring a node back, and the tier it has once compaction has come to rest after it."""

    action: str
    """``read`` (by id), ``endorse``, or ``lock``."""
    tier: Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The standing of one node. ``charge`` is what its level costs, ``archived`` what its archived lines do; an active
    node has no ``ways``.
    """

    tier: Tier
    locked: bool
    fresh: bool
    explanation: Explanation
    charge: int
    archived: int
    ways: tuple[Way, ...] = ()


def brought_back(graph: Graph, ids: list[str], now: Millis, across: Iterable[str] = ()) -> dict[str, Use]:
    """What a read by id makes of the use of nodes: they are active, and their orphaned neighbours archived.

    ``across`` are nodes of the graph that are neighbours of nodes read on another level.
    """
    use = {
        node_id: replace(graph.use_of(node_id), tier=Tier.ACTIVE, orphaned_at=0, read_at=now)
        for node_id in ids
        if node_id in graph.nodes
    }
    neighbours = [
        edge.target if edge.source == node_id else edge.source for node_id in use for edge in graph.edges_of(node_id)
    ]
    for neighbour in (*neighbours, *across):
        if neighbour not in use and graph.tier(neighbour) is Tier.ORPHANED:
            use[neighbour] = replace(graph.use_of(neighbour), tier=Tier.ARCHIVED, orphaned_at=0)
    return use


def why(graph: Graph, node_id: str, user: Graph | None, now: Millis, budget: Budget = _BUDGET) -> Steps[Why]:
    """The standing of a node of ``graph``, in small steps. Raises KeyError when there is no such node."""
    node, use = graph.nodes[node_id], graph.use_of(node_id)
    board = Board(graph, user, now)
    yield from board.fill(budget.fresh)
    newest = {each for each, is_fresh in zip(board.ids, board.fresh, strict=True) if is_fresh}
    pool = {*graph.tiers[Tier.ACTIVE], *graph.tiers[Tier.ARCHIVED]} - newest
    explanation = yield from explained(graph, node_id, pool, now, user)
    ways: tuple[Way, ...] = ()
    if use.tier is not Tier.ACTIVE:
        read = graph.apply(Change(graph=graph.key, use=brought_back(graph, [node_id], now)))
        praised = graph.apply(Change(graph=graph.key, use={node_id: endorsed(use, "", now)}))
        ways = (
            Way("read", (yield from _at_rest(read, node_id, user, now, budget))),
            Way("endorse", (yield from _at_rest(praised, node_id, user, now, budget))),
            Way("lock", Tier.ACTIVE),
        )
    charge, archived = board.charge, board.archived_charge
    yield from board.let_go()
    return Why(
        tier=use.tier,
        locked=node.locked,
        fresh=node_id in newest,
        explanation=explanation,
        charge=charge,
        archived=archived,
        ways=ways,
    )


def _at_rest(graph: Graph, node_id: str, user: Graph | None, now: Millis, budget: Budget) -> Steps[Tier]:
    """The tier of a node once compaction of ``graph`` has nothing more to do."""
    settled: set[str] = set()
    for _ in range(_PLANS):
        change = yield from planned(graph, user, now, settled, budget)
        if change is None:
            break
        settled.update(change.use)
        moved = list(change.use.items())
        for start in range(0, len(moved), SLICE):
            graph = graph.apply(Change(graph=graph.key, use=dict(moved[start : start + SLICE])))
            yield
    return graph.use_of(node_id).tier
