"""A full read: levels as a model reads them, or the most valuable of them where all would be too much."""

from __future__ import annotations

import math
from collections import Counter
from heapq import heapify, heappop
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from kg_core.model import Tier
from kg_core.model.steps import SLICE, sorted_steps
from kg_core.policy.score import score_steps
from kg_core.render import Block, Rank, active_cost, archived_cost, edge_cost, fit, home, preloaded_line, shown_edges
from kg_core.render.components import reading_order_steps
from kg_core.render.level import (
    ARCHIVED_HEADING,
    UNSCORED,
    active_block,
    archived_block,
    archived_heading,
    edge_block,
    edge_value,
    level_heading,
)
from kg_plugin_api import Limit, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kg_core.model import Edge, Graph, Millis
    from kg_core.model.steps import Steps
    from kg_core.policy.prospects import LevelView

    IsPreloaded = Callable[[Graph, str], bool]
    """Tells whether the gist of an active node is in front of the model already, from the preload."""


class _Line(NamedTuple):
    """A line that may be shown, and its cost with the line break: of an active node, of an edge under it, or of an
    archived node; ``heads`` stands above these.
    """

    rank: Rank
    level: int
    id: str
    cost: int
    edge: Edge | None = None
    is_preloaded: bool = False
    heads: bool = False


def full_read(
    levels: Sequence[LevelView], user: Graph | None, now: Millis, target: int, is_preloaded: IsPreloaded
) -> Steps[tuple[Block, ...]]:
    """The blocks of ``levels`` in small steps: all of them as far as ``target`` characters go, else what ``fit`` keeps
    of them by their scores, with its line on what is missing. What cannot be kept is measured or counted, and not made.
    """
    headings = [level_heading(view.graph, view.title) for view in levels]
    room = target + 1 - sum(len(block.text) + 1 for block in headings)
    gists = yield from _gists(levels, is_preloaded)
    offered = [gists]
    missing: Counter[Rank] = Counter()
    if gists and _cost(gists) > room:
        missing = yield from _counted(levels, user)
    else:
        offered += [(yield from _edges(levels, gists, user)), (yield from _archived(levels))]
    values: list[dict[str, float]] = [{} for _ in levels]
    if missing or sum(map(_cost, offered)) > room:
        values = []
        for view in levels:
            values.append((yield from score_steps(view.graph, view.graph.tiers[Tier.ACTIVE], now, user)))
    kept: list[_Line] = []
    for lines in offered:
        if room >= 0 or not kept:
            chosen = yield from _leading(lines, room, values)
            room -= _cost(chosen)
            kept += chosen
        missing.update(line.rank for line in lines)
    missing.subtract(line.rank for line in kept)
    blocks = yield from _blocks(levels, headings, kept, values)
    return fit(blocks, Limit(target, Unit.CHARACTERS), missing).blocks


def _cost(lines: Sequence[_Line]) -> int:
    return sum(line.cost for line in lines)


def _gists(levels: Sequence[LevelView], is_preloaded: IsPreloaded) -> Steps[list[_Line]]:
    """The active nodes, in the order in which they are read."""
    lines: list[_Line] = []
    for level, view in enumerate(levels):
        graph = view.graph
        for number, node_id in enumerate((yield from reading_order_steps(graph, graph.tiers[Tier.ACTIVE])), start=1):
            known = is_preloaded(graph, node_id)
            cost = len(preloaded_line(node_id)) + 1 if known else active_cost(graph, node_id)
            lines.append(_Line(Rank.GIST, level, node_id, cost, is_preloaded=known))
            if number % SLICE == 0:
                yield
    return lines


def _edges(levels: Sequence[LevelView], gists: Sequence[_Line], user: Graph | None) -> Steps[list[_Line]]:
    """The edges that are shown, in the order in which they are read."""
    lines: list[_Line] = []
    for number, line in enumerate(gists, start=1):
        graph, under = levels[line.level].graph, line.id
        for edge in shown_edges(graph, user, under):
            cost = edge_cost(edge, under_source=under == edge.source)
            lines.append(_Line(Rank.EDGE, line.level, under, cost, edge))
        if number % SLICE == 0:
            yield
    return lines


def _archived(levels: Sequence[LevelView]) -> Steps[list[_Line]]:
    """The archived nodes of each level by id, below their heading."""
    lines: list[_Line] = []
    for level, view in enumerate(levels):
        ids = yield from sorted_steps(view.graph.tiers[Tier.ARCHIVED])
        if ids:
            lines.append(_Line(Rank.ARCHIVED, level, "", len(ARCHIVED_HEADING) + 1, heads=True))
        for number, node_id in enumerate(ids, start=1):
            lines.append(_Line(Rank.ARCHIVED, level, node_id, archived_cost(node_id)))
            if number % SLICE == 0:
                yield
    return lines


def _counted(levels: Sequence[LevelView], user: Graph | None) -> Steps[Counter[Rank]]:
    """How many lines edges and archived nodes would have."""
    counts: Counter[Rank] = Counter()
    for view in levels:
        for number, edge in enumerate(view.graph.edges.values(), start=1):
            counts[Rank.EDGE] += home(edge, view.graph, user) is not None
            if number % SLICE == 0:
                yield
        archived = len(view.graph.tiers[Tier.ARCHIVED])
        counts[Rank.ARCHIVED] += archived + bool(archived)
    return counts


def _leading(lines: list[_Line], room: int, values: Sequence[Mapping[str, float]]) -> Steps[list[_Line]]:
    """The most valuable lines up to the first one for which there is no room any more, in their own order."""
    if _cost(lines) <= room:
        return lines
    heap: list[tuple[float, int]] = []
    for number, line in enumerate(lines):
        heap.append((-_value(line, values[line.level]), number))
        if number % SLICE == 0:
            yield
    heapify(heap)
    yield
    numbers: list[int] = []
    while heap:
        _, number = heappop(heap)
        numbers.append(number)
        room -= lines[number].cost
        if room < 0:
            break
    return [lines[number] for number in sorted(numbers)]


def _value(line: _Line, values: Mapping[str, float]) -> float:
    if line.edge is not None:
        return edge_value(line.edge, values)
    return math.inf if line.heads else values.get(line.id, UNSCORED)


def _blocks(
    levels: Sequence[LevelView],
    headings: Sequence[Block],
    lines: Sequence[_Line],
    values: Sequence[Mapping[str, float]],
) -> Steps[list[Block]]:
    """The lines as blocks, each edge under its node."""
    sections: list[dict[str, list[Block]]] = [{} for _ in levels]
    traces: list[list[Block]] = [[] for _ in levels]
    for number, line in enumerate(lines, start=1):
        graph, value = levels[line.level].graph, _value(line, values[line.level])
        if line.rank is Rank.GIST:
            block = active_block(graph, line.id, value, is_preloaded=line.is_preloaded)
            sections[line.level][line.id] = [block]
        elif line.edge is not None:
            sections[line.level][line.id].append(edge_block(graph, line.edge, line.id, value))
        else:
            traces[line.level].append(archived_heading(graph) if line.heads else archived_block(graph, line.id, value))
        if number % SLICE == 0:
            yield
    blocks: list[Block] = []
    for heading, section, archived in zip(headings, sections, traces, strict=True):
        blocks += [heading, *chain.from_iterable(section.values()), *archived]
    return blocks
