"""The preload: what a session starts with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kg_core.model import EndKind, Status, Tier, end_kind
from kg_core.policy.fresh import fresh, ranked_pool
from kg_core.policy.overview import measured
from kg_core.policy.score import scores
from kg_core.policy.shares import ALWAYS, FRESH, RULES, TREE, Lesson, choose, spent
from kg_core.render import Block, MarkKind, cut, gist_block, home, node_line, reading_order, standing
from kg_core.render.level import ARCHIVED_HEADING, UNSCORED, archived_blocks, edge_block, edge_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kg_core.model import Edge, EdgeKey, Graph, Millis
    from kg_plugin_api import Limit

_NEWEST: Final = 3.0
_AMONG_NEWEST: Final = 2.0
"""Values of the newest lessons, above every score."""
_SHORTEST_LINE: Final = 12
"""No edge is shorter, with its line break; with less room there is no need to look for one."""


@dataclass(frozen=True, slots=True)
class LevelView:
    """A level as a section of the preload."""

    title: str
    graph: Graph


def preload_blocks(
    levels: Sequence[LevelView],
    user: Graph | None,
    limit: Limit,
    now: Millis,
    *,
    head: Sequence[Block],
    rules: Sequence[Block] = (),
) -> list[Block]:
    """``head``, ``rules``, a section for each level that has something to show, and a line on what is not shown.

    They are within ``limit``, and ready for ``fit`` with it. Without anything to show, the given blocks come alone.
    ``rules`` must be within their shares (:func:`kg_core.policy.overview.overview`).

    :func:`kg_core.policy.shares.choose` says which lessons get in; only current ones may. The newest is always in: it
    is cut when it does not fit. Edges, and then archived ids, are shown as far as there is room left.
    """
    lessons = _lessons(levels, user, limit, now)
    frame = [*head, *rules, *(Block(text=_heading(level)) for level in levels), *_left_out(len(lessons))]
    room = limit.maximum + 1 - sum(limit.measure(block.text) + 1 for block in frame)
    blocks: dict[tuple[int, str], Block] = {}
    if lessons and lessons[0].cost > room:
        first = lessons[0]
        block = gist_block(levels[first.level].graph, first.id, MarkKind.PRELOADED, _NEWEST)
        text = cut(block.text, min(room - 1, int(limit.maximum * FRESH)), limit.unit)
        if text:
            blocks[first.place] = replace(block, text=text, marks=())
            lessons[0] = replace(first, cost=limit.measure(text) + 1)
    unused = int(limit.maximum * (RULES + TREE)) - measured(rules, limit)
    chosen = choose(lessons, room, limit.maximum, max(0, unused))
    for lesson in chosen:
        if lesson.place not in blocks:
            value = _value(lesson, lessons)
            blocks[lesson.place] = gist_block(levels[lesson.level].graph, lesson.id, MarkKind.PRELOADED, value)
    left = _Room(room - spent(chosen), limit)
    below = _edges(levels, user, chosen, left)
    body: list[Block] = []
    for index, level in enumerate(levels):
        ids = [lesson.id for lesson in chosen if lesson.level == index]
        section: list[Block] = []
        for node_id in reading_order(level.graph, ids):
            section += [blocks[index, node_id], *below.get((index, node_id), [])]
        section += _archived(level.graph, user, now, left)
        if section:
            body += [Block(text=_heading(level), heads=True), *section]
    return [*head, *rules, *body, *_left_out(len(lessons) - len(chosen))]


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


def _lessons(levels: Sequence[LevelView], user: Graph | None, limit: Limit, now: Millis) -> list[Lesson]:
    """The active and current nodes of all levels, newest first."""
    found: list[Lesson] = []
    for index, level in enumerate(levels):
        graph = level.graph
        newest = fresh(graph, user)
        active = graph.tiers[Tier.ACTIVE]
        scored = scores(graph, [node_id for node_id in active if node_id not in newest], now, user)
        for node_id in active:
            node = graph.nodes[node_id]
            if node.status is Status.CURRENT and standing(graph, node_id) is Status.CURRENT:
                found.append(
                    Lesson(
                        level=index,
                        id=node_id,
                        created=node.created,
                        is_fresh=node_id in newest,
                        score=scored.get(node_id, UNSCORED),
                        cost=limit.measure(node_line(node)) + 1,
                    )
                )
    found.sort(key=lambda lesson: (-lesson.created, -lesson.level, lesson.id))
    return found


def _value(lesson: Lesson, lessons: Sequence[Lesson]) -> float:
    """In which order lessons would go if there were less room: the newest last."""
    if lesson is lessons[0]:
        return _NEWEST
    return _AMONG_NEWEST if lesson in lessons[:ALWAYS] else lesson.score


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


def _archived(graph: Graph, user: Graph | None, now: Millis, left: _Room) -> list[Block]:
    """The ids of current archived nodes, as many as fit, best first."""
    if left.left < left.limit.measure(ARCHIVED_HEADING):
        return []
    ids = [node_id for node_id in graph.tiers[Tier.ARCHIVED] if standing(graph, node_id) is Status.CURRENT]
    if not ids:
        return []
    values = scores(graph, ranked_pool(graph, user), now, user)
    ids.sort(key=lambda node_id: (-values.get(node_id, UNSCORED), node_id))
    heading, *lines = archived_blocks(graph, ids, values)
    if not left.takes(heading, lines[0]):
        return []
    return [heading, lines[0], *(line for line in lines[1:] if left.takes(line))]


def _heading(level: LevelView) -> str:
    return f"{level.title}:"


def _left_out(count: int) -> list[Block]:
    if not count:
        return []
    lessons = "1 more lesson is" if count == 1 else f"{count} more lessons are"
    return [Block(text=f"({lessons} not shown here; kg_search finds them, kg_read shows all.)")]
