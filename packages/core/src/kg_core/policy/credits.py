"""Credits: what makes a lesson useful. Each is a stamp in its use, and the stamps are the ledger of who has voted.

A stamp is saved in the same write as what earned it, and moves with the node when that is renamed, so that neither a
crash nor a rename lets anybody vote twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_core.model import PROJECT_PREFIX, USER_PREFIX, EndKind, Stamp, StampKind, Tier, end_kind, to_iso

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.model import Edge, Graph, Millis, Node, Use

INSTANCE_OF: Final = "instance-of"
"""The relation from a case to the lesson of which it is one."""

ENDORSEMENTS_SUGGESTED: Final = 5
ENDORSEMENTS: Final = 10
"""Endorsements of one context."""
CREDITS: Final = 3
"""Maintenance credits of one lesson in one pass."""
CREDITS_OF_A_PASS: Final = 15

_VOTES: Final = frozenset({StampKind.ENDORSEMENT, StampKind.NOTE})


def has_voted(use: Use, by: str) -> bool:
    """Whether a working context has endorsed the node, or added a case to it that counted."""
    return any(stamp.by == by and stamp.kind in _VOTES for stamp in use.stamps)


def endorsed(use: Use, by: str, at: Millis) -> Use:
    """The use with an endorsement."""
    return replace(use, stamps=(*use.stamps, Stamp(at, StampKind.ENDORSEMENT, by)))


def endorsements(graphs: Iterable[Graph], by: str) -> int:
    """How many nodes a context has endorsed."""
    return _stamped(graphs, by, StampKind.ENDORSEMENT)


def earns_note(stored: Node, use: Use, by: str, notes: tuple[str, ...] | None) -> bool:
    """Whether sending ``notes`` makes the lesson of another useful: they add a case to what ``by`` did not write.

    The author is the working context that last wrote it, or the person who did. A context votes once for a node.
    """
    author = (stored.written.author or stored.written.by) if stored.written is not None else ""
    adds = notes is not None and len(notes) > len(stored.notes) and not set(notes) <= set(stored.notes)
    return adds and author != by and not has_voted(use, by)


def noted(use: Use, by: str, at: Millis) -> Use:
    """The use with the credit of an added case."""
    return replace(use, stamps=(*use.stamps, Stamp(at, StampKind.NOTE, by)))


def credits_given(graphs: Iterable[Graph], by: str) -> int:
    """The maintenance credits that a context has given: a context is a pass."""
    return _stamped(graphs, by, StampKind.MAINTENANCE)


def is_credited(use: Use, by: str) -> bool:
    """Whether this pass has credited the node."""
    return any(stamp.by == by and stamp.kind is StampKind.MAINTENANCE for stamp in use.stamps)


def credited(use: Use, by: str, at: Millis, count: int) -> Use:
    """The use with ``count`` credits of maintenance: kept in sight, an orphan archived again, and the day remembered,
    so that a later pass sees a lesson that was propped and sank anyway.
    """
    # One millisecond apart: a merge takes equal stamps for the same one.
    stamps = tuple(Stamp(at - n, StampKind.MAINTENANCE, by) for n in range(count))
    use = replace(use, stamps=(*use.stamps, *stamps), credited=(*use.credited, at))
    return replace(use, tier=Tier.ARCHIVED, orphaned_at=0) if use.tier is Tier.ORPHANED else use


def recurrence(edge: Edge, graph: Graph, user: Graph | None) -> tuple[Graph, str, Stamp] | None:
    """The lesson that ``edge`` makes useful, with its graph and its stamp; ``None`` when it makes none so.

    The edge says that a node of ``graph`` is a case of the lesson, and the case is younger. Only a project's case
    credits a lesson of the user. The stamp's time is the case's creation, by which a case is remembered whatever it is
    called later; taking the edge back takes no credit back.
    """
    if edge.rel != INSTANCE_OF:
        return None
    case = graph.nodes.get(edge.source)
    kind = end_kind(edge.target)
    if kind is EndKind.USER and not graph.key.startswith(PROJECT_PREFIX):
        return None
    level, node_id = (user, edge.target.removeprefix(USER_PREFIX)) if kind is EndKind.USER else (graph, edge.target)
    lesson = None if level is None else level.nodes.get(node_id)
    if level is None or case is None or lesson is None or case.created <= lesson.created:
        return None
    if to_iso(case.created) in level.use_of(node_id).recurrence:
        return None
    return level, node_id, Stamp(case.created, StampKind.RECURRENCE)


def recurred(use: Use, stamp: Stamp) -> Use:
    """The use with the credit of :func:`recurrence`."""
    return replace(use, stamps=(*use.stamps, stamp), recurrence=(*use.recurrence, to_iso(stamp.at)))


def _stamped(graphs: Iterable[Graph], by: str, kind: StampKind) -> int:
    return sum(
        stamp.by == by and stamp.kind is kind for graph in graphs for use in graph.use.values() for stamp in use.stamps
    )
