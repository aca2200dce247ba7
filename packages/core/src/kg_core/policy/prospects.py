"""What a preload chooses from: it depends on all of memory, so it is looked through once, in small steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kg_core.model import Status, Tier
from kg_core.model.steps import SLICE, sorted_steps
from kg_core.policy.fresh import fresh_steps
from kg_core.policy.score import combined_steps, raw_steps
from kg_core.policy.shares import Lesson, Lessons, ordered_steps
from kg_core.render import node_line, standing
from kg_core.render.level import UNSCORED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kg_core.model import Graph, Millis
    from kg_core.model.steps import Steps
    from kg_plugin_api import Unit


@dataclass(frozen=True, slots=True)
class LevelView:
    """A level as a section of the preload."""

    title: str
    graph: Graph


class Trace(NamedTuple):
    """An archived node and its score."""

    id: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospects:
    """Of some levels, as they are at one moment: the lessons that may be preloaded, measured in ``unit``, and for each
    level its archived nodes, best first. Only current ones are among them.

    ``user`` is the user's graph, as far as it is known.
    """

    levels: tuple[LevelView, ...]
    user: Graph | None
    unit: Unit
    lessons: Lessons
    archived: tuple[tuple[Trace, ...], ...]


def prospects(levels: Sequence[LevelView], user: Graph | None, unit: Unit, now: Millis) -> Steps[Prospects]:
    """Looks through levels, in small steps."""
    found: list[Lesson] = []
    archived: list[tuple[Trace, ...]] = []
    for index, level in enumerate(levels):
        graph = level.graph
        newest = yield from fresh_steps(graph, user)
        active = graph.tiers[Tier.ACTIVE]
        raws = yield from raw_steps(graph, (node_id for node_id in active if node_id not in newest), now, user)
        scores = yield from combined_steps(raws)
        for number, node_id in enumerate(_current(graph, active), start=1):
            if number % SLICE == 0:
                yield
            node = graph.nodes[node_id]
            found.append(
                Lesson(
                    level=index,
                    id=node_id,
                    created=node.created,
                    is_fresh=node_id in newest,
                    score=scores.get(node_id, UNSCORED),
                    cost=unit.measure(node_line(node)) + 1,
                )
            )
        traces = list(_current(graph, graph.tiers[Tier.ARCHIVED]))
        yield
        if traces:
            ranked = (node_id for node_id in graph.tiers[Tier.ARCHIVED] if node_id not in newest)
            scores = yield from combined_steps({**raws, **(yield from raw_steps(graph, ranked, now, user))})
        best = yield from sorted_steps((-scores.get(node_id, UNSCORED), node_id) for node_id in traces)
        archived.append(tuple(Trace(node_id, -value) for value, node_id in best))
    lessons = yield from ordered_steps(found)
    return Prospects(levels=tuple(levels), user=user, unit=unit, lessons=lessons, archived=tuple(archived))


def _current(graph: Graph, ids: Iterable[str]) -> Iterator[str]:
    """Those that hold, by their own status and by what supersedes them."""
    return (node_id for node_id in ids if standing(graph, node_id) is Status.CURRENT)
