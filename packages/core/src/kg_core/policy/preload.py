"""The preload: what a session starts with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kg_core.model import EndKind, Status, end_kind
from kg_core.policy.overview import measured
from kg_core.policy.shares import ALWAYS, FRESH, RULES, TREE, choose, spent
from kg_core.render import Block, MarkKind, cut, gist_block, home, reading_order, standing
from kg_core.render.level import ARCHIVED_HEADING, archived_block, archived_heading, edge_block, edge_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kg_core.model import Edge, EdgeKey, Graph
    from kg_core.policy.prospects import LevelView, Prospects, Trace
    from kg_core.policy.shares import Lesson
    from kg_plugin_api import Limit

_NEWEST: Final = 3.0
_AMONG_NEWEST: Final = 2.0
"""Values of the newest lessons, above every score."""
_SHORTEST_LINE: Final = 12
"""No edge is shorter, with its line break; with less room there is no need to look for one."""
_SHORTEST_TRACE: Final = 3
"""The same of an archived id."""


def preload_blocks(
    prospects: Prospects,
    limit: Limit,
    *,
    head: Sequence[Block],
    rules: Sequence[Block] = (),
) -> list[Block]:
    """``head``, ``rules``, a section for each level that has something to show, and a line on what is not shown.

    They are within ``limit``, and ready for ``fit`` with it. Without anything to show, the given blocks come alone.
    ``rules`` must be within their shares (:func:`kg_core.policy.overview.overview`), ``prospects`` in the limit's unit.

    :func:`kg_core.policy.shares.choose` says which lessons get in. The newest is always in: it is cut when it does not
    fit. Edges, and then archived ids, are shown as far as there is room left.
    """
    levels, lessons = prospects.levels, prospects.lessons
    newest = list(lessons.newest[:ALWAYS])
    count = len(lessons.newest)
    frame = [*head, *rules, *(Block(text=_heading(level)) for level in levels), *_left_out(count)]
    room = limit.maximum + 1 - sum(limit.measure(block.text) + 1 for block in frame)
    blocks: dict[tuple[int, str], Block] = {}
    if newest and newest[0].cost > room:
        first = newest[0]
        block = gist_block(levels[first.level].graph, first.id, MarkKind.PRELOADED, _NEWEST)
        text = cut(block.text, min(room - 1, int(limit.maximum * FRESH)), limit.unit)
        if text:
            blocks[first.place] = replace(block, text=text, marks=())
            newest[0] = replace(first, cost=limit.measure(text) + 1)
            least = min(lessons.least, newest[0].cost)
            lessons = replace(lessons, newest=[newest[0], *lessons.newest[1:]], least=least)
    unused = int(limit.maximum * (RULES + TREE)) - measured(rules, limit)
    chosen = choose(lessons, room, limit.maximum, max(0, unused))
    for lesson in chosen:
        if lesson.place not in blocks:
            value = _value(lesson, newest)
            blocks[lesson.place] = gist_block(levels[lesson.level].graph, lesson.id, MarkKind.PRELOADED, value)
    left = _Room(room - spent(chosen), limit)
    below = _edges(levels, prospects.user, chosen, left)
    body: list[Block] = []
    for index, level in enumerate(levels):
        ids = [lesson.id for lesson in chosen if lesson.level == index]
        section: list[Block] = []
        for node_id in reading_order(level.graph, ids):
            section += [blocks[index, node_id], *below.get((index, node_id), [])]
        section += _archived(level.graph, prospects.archived[index], left)
        if section:
            body += [Block(text=_heading(level), heads=True), *section]
    return [*head, *rules, *body, *_left_out(count - len(chosen))]


@dataclass(slots=True)
class _Room:
    """What is left of a limit; blocks are counted with their line break."""

    left: int
    limit: Limit

    def takes(self, *blocks: Block) -> bool:
        """Whether the blocks fit; then they are counted."""
        cost = sum(self.limit.measure(block.text) + 1 for block in blocks)
        if cost > self.left:
            return False
        self.left -= cost
        return True


def _value(lesson: Lesson, newest: Sequence[Lesson]) -> float:
    """In which order lessons would go if there were less room: the newest last."""
    if lesson is newest[0]:
        return _NEWEST
    return _AMONG_NEWEST if lesson in newest else lesson.score


def _edges(
    levels: Sequence[LevelView], user: Graph | None, chosen: Sequence[Lesson], left: _Room
) -> dict[tuple[int, str], list[Block]]:
    """The edges of chosen lessons that still fit, by the lesson under which they stand; between two of them first."""
    below: dict[tuple[int, str], list[Block]] = {}
    if left.left < _SHORTEST_LINE:
        return below
    offered: list[tuple[bool, float, int, EdgeKey, str]] = []
    for index, level in enumerate(levels):
        values = {lesson.id: lesson.score for lesson in chosen if lesson.level == index}
        for edge, under in _shown(level.graph, user, values):
            leads_out = not (edge.source in values and edge.target in values)
            offered.append((leads_out, -edge_value(edge, values), index, edge.key, under))
    for _, value, index, key, under in sorted(offered):
        if left.left < _SHORTEST_LINE:
            break
        graph = levels[index].graph
        block = edge_block(graph, graph.edges[key], under, -value)
        if left.takes(block):
            below.setdefault((index, under), []).append(block)
    return below


def _shown(graph: Graph, user: Graph | None, ids: Mapping[str, float]) -> Iterator[tuple[Edge, str]]:
    """The live edges of ``ids`` that lead to nothing outdated, each with the id under which it stands."""
    for node_id in ids:
        for key in graph.incident.get(node_id, ()):
            under = key.source if key.source in ids else key.target
            edge = graph.edges[key]
            if under == node_id and home(edge, graph, user) is not None:
                other = key.target if under == key.source else key.source
                if end_kind(other) is not EndKind.NODE or standing(graph, other) is Status.CURRENT:
                    yield edge, under


def _archived(graph: Graph, traces: Sequence[Trace], left: _Room) -> list[Block]:
    """The ids of archived nodes, as many as fit."""
    if not traces or left.left < left.limit.measure(ARCHIVED_HEADING):
        return []
    heading, *lines = archived_heading(graph), archived_block(graph, *traces[0])
    if not left.takes(heading, *lines):
        return []
    for trace in traces[1:]:
        if left.left < _SHORTEST_TRACE:
            break
        line = archived_block(graph, *trace)
        if left.takes(line):
            lines.append(line)
    return [heading, *lines]


def _heading(level: LevelView) -> str:
    return f"{level.title}:"


def _left_out(count: int) -> list[Block]:
    if not count:
        return []
    lessons = "1 more lesson is" if count == 1 else f"{count} more lessons are"
    return [Block(text=f"({lessons} not shown here; kg_search finds them, kg_read shows all.)")]
