"""When it is forgotten that a lesson was deleted: after a year, and not because a clock says so alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model import DAY
from kg_core.model.limits import TOMBSTONE_DAYS
from kg_core.model.steps import MANY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model import Graph, Millis, Tombstone
    from kg_core.model.steps import Steps

_REMEMBERED: Final = TOMBSTONE_DAYS * DAY
DAYS: Final = 3
"""On so many days after that year lessons must have been written: a clock that is wrong for a while makes fewer."""


def forgotten_steps(graph: Graph, now: Millis) -> Steps[Mapping[str, Tombstone]]:
    """The tombstones that may go, in small steps. Content and time alone decide, so that copies agree on it."""
    old = {node_id: stone for node_id, stone in graph.tombstones.items() if stone.at < now - _REMEMBERED}
    if not old:
        return {}
    days: set[int] = set()
    for looked, node in enumerate(graph.nodes.values()):
        if looked % MANY == 0:
            yield
        if node.written is not None and node.written.at <= now:
            days.add(node.written.at // DAY)
    if len(days) < DAYS:
        return {}
    reached = sorted(days)[-DAYS] * DAY
    return {node_id: stone for node_id, stone in old.items() if stone.at < reached - _REMEMBERED}
