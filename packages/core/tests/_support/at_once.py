"""What a preload, a full read and their parts must be, worked out at once and from all of memory. Models for tests."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_core.model import DAY, Edge, Graph, Node, Stamp, StampKind, Status, Tier, Use
from kg_core.model.steps import at_once
from kg_core.policy.fresh import fresh_steps
from kg_core.policy.overview import measured
from kg_core.policy.preload import _edges, _heading, _left_out, _Room, _value
from kg_core.policy.score import score_steps
from kg_core.policy.shares import ALWAYS, FRESH, RULES, TREE, Lesson, spent
from kg_core.render import Block, MarkKind, cut, fit, gist_block, node_line, reading_order, shown_edges, standing
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
    from kg_core.policy import LevelView

NOW = 1_000 * DAY


def memory(seed: int, size: int, key: str = "project:x") -> Graph:
    """A graph of random lessons, edges and tiers, with many ties between them."""
    chance = random.Random(seed)
    ids = [f"{key[0]}-{number}" for number in range(size)]
    stamps = [Stamp(NOW - age * DAY, kind) for age in (0, 90, 400) for kind in StampKind]
    ends = [*ids, *ids, "src/a.py", "user:u-1", "user:u-2", "gone"]
    edges = [
        Edge(source=chance.choice(ids), rel=chance.choice(["uses", "fixes", "supersedes"]), target=chance.choice(ends))
        for _ in range(chance.randint(0, 2 * size) if size else 0)
    ]
    tiers = chance.choice([[Tier.ACTIVE], [Tier.ACTIVE, Tier.ACTIVE, Tier.ARCHIVED, Tier.ORPHANED], [*Tier]])
    statuses = [*[Status.CURRENT] * 8, *Status]
    return Graph.build(
        key,
        nodes={
            node_id: Node(
                id=node_id,
                gist=chance.choice(["short", "主题", "x" * 90, "y" * 200, "👩‍👩‍👧 " * 30]),
                created=chance.choice([0, 5, NOW - DAY, NOW + DAY, chance.randint(1, NOW)]),
                status=chance.choice(statuses),
                locked=chance.random() < 0.05,
            )
            for node_id in ids
        },
        use={
            node_id: Use(
                tier=chance.choice(tiers),
                activity_at=chance.choice([0, NOW - 3 * DAY, chance.randint(1, NOW)]),
                stamps=tuple(chance.sample(stamps, chance.choice([0, 0, 1, 2]))),
            )
            for node_id in ids
        },
        edges={edge.key: edge for edge in edges},
    )


def places(values: list[float]) -> list[float]:
    """Percentiles, one value after the other."""
    last = len(values) - 1
    if last < 1:
        return [0.5] * len(values)
    return [(sum(v < value for v in values) + sum(v <= value for v in values) - 1) / 2 / last for value in values]


def order(graph: Graph, ids: list[str]) -> list[str]:
    """The reading order, component by component."""
    near = {
        node_id: {end for key in graph.incident.get(node_id, ()) for end in (key.source, key.target)} & set(ids)
        for node_id in ids
    }
    rank = {node_id: (-len(near[node_id] - {node_id}), node_id) for node_id in ids}
    seen: set[str] = set()
    components = []
    for hub in sorted(ids, key=rank.__getitem__):
        queue, component = deque([] if hub in seen else [hub]), []
        seen.add(hub)
        while queue:
            component.append(queue.popleft())
            for other in sorted(near[component[-1]] - seen, key=rank.__getitem__):
                seen.add(other)
                queue.append(other)
        components.append(component)
    components.sort(key=lambda component: (-len(component), [rank[node_id] for node_id in component[:1]]))
    return [node_id for component in components for node_id in component]


def full_read(levels: list[LevelView], user: Graph, target: int, preloaded: frozenset[str]) -> tuple[Block, ...]:
    """All blocks of all levels, and what fits of them."""

    def blocks(values: dict[str, dict[str, float]]) -> list[Block]:
        return [
            block for view in levels for block in level_blocks(view, user, preloaded, values.get(view.graph.key, {}))
        ]

    if sum(len(block.text) + 1 for block in blocks({})) <= target:
        return tuple(blocks({}))
    values = {
        view.graph.key: at_once(score_steps(view.graph, view.graph.tiers[Tier.ACTIVE], NOW, user)) for view in levels
    }
    return fit(blocks(values), Limit(target, Unit.CHARACTERS)).blocks


def level_blocks(view: LevelView, user: Graph, preloaded: frozenset[str], values: dict[str, float]) -> list[Block]:
    """All blocks of a level, as they are read."""
    graph = view.graph
    blocks = [level_heading(graph, view.title)]
    for node_id in reading_order(graph, graph.tiers[Tier.ACTIVE]):
        value = values.get(node_id, UNSCORED)
        blocks.append(active_block(graph, node_id, value, is_preloaded=node_id in preloaded))
        blocks += [
            edge_block(graph, edge, node_id, edge_value(edge, values)) for edge in shown_edges(graph, user, node_id)
        ]
    if archived := sorted(graph.tiers[Tier.ARCHIVED]):
        blocks += [archived_heading(graph), *(archived_block(graph, each, UNSCORED) for each in archived)]
    return blocks


def preload(levels: list[LevelView], user: Graph, limit: Limit, head: list[Block]) -> list[Block]:
    """A preload that looks through all lessons for each of its parts."""
    lessons = _lessons(levels, user, limit)
    count = len(lessons)
    frame = [*head, *(Block(text=_heading(level)) for level in levels), *_left_out(count)]
    room = limit.maximum + 1 - sum(limit.measure(block.text) + 1 for block in frame)
    blocks: dict[tuple[int, str], Block] = {}
    if lessons and lessons[0].cost > room:
        first = lessons[0]
        block = gist_block(levels[first.level].graph, first.id, MarkKind.PRELOADED, 3.0)
        text = cut(block.text, min(room - 1, int(limit.maximum * FRESH)), limit.unit)
        if text:
            blocks[first.place] = replace(block, text=text, marks=())
            lessons[0] = replace(first, cost=limit.measure(text) + 1)
    chosen = choose(lessons, room, limit.maximum, int(limit.maximum * (RULES + TREE)) - measured((), limit))
    for lesson in chosen:
        value = _value(lesson, lessons[:ALWAYS])
        graph = levels[lesson.level].graph
        blocks.setdefault(lesson.place, gist_block(graph, lesson.id, MarkKind.PRELOADED, value))
    left = _Room(room - spent(chosen), limit)
    below = _edges(levels, user, chosen, left)
    body: list[Block] = []
    for index, level in enumerate(levels):
        ids = [lesson.id for lesson in chosen if lesson.level == index]
        section: list[Block] = []
        for node_id in reading_order(level.graph, ids):
            section += [blocks[index, node_id], *below.get((index, node_id), [])]
        section += _archived(level.graph, user, left)
        if section:
            body += [Block(text=_heading(level), heads=True), *section]
    return [*head, *body, *_left_out(count - len(chosen))]


def choose(lessons: list[Lesson], room: int, limit: int, unused: int) -> list[Lesson]:
    """The shares, each offered every lesson."""
    chosen: dict[tuple[int, str], Lesson] = {}

    def take(offered: list[Lesson], share: int) -> None:
        nonlocal room
        for lesson in offered:
            if lesson.place not in chosen and lesson.cost <= min(share, room):
                chosen[lesson.place] = lesson
                share -= lesson.cost
                room -= lesson.cost

    take(lessons[:1], room)
    take(lessons[:ALWAYS], int(limit * FRESH) + unused - spent(chosen.values()))
    take([lesson for lesson in lessons if lesson.is_fresh], int(limit * FRESH) - spent(chosen.values()))
    rest = [lesson for lesson in lessons if not lesson.is_fresh]
    take(sorted(rest, key=lambda lesson: (-lesson.score, -lesson.level, lesson.id)), room)
    take(lessons[:ALWAYS], room)
    take(lessons, room)
    return list(chosen.values())


def _lessons(levels: list[LevelView], user: Graph, limit: Limit) -> list[Lesson]:
    found = []
    for index, level in enumerate(levels):
        graph = level.graph
        newest, active = at_once(fresh_steps(graph, user)), graph.tiers[Tier.ACTIVE]
        scored = at_once(score_steps(graph, [node_id for node_id in active if node_id not in newest], NOW, user))
        found += [
            Lesson(
                level=index,
                id=node_id,
                created=graph.nodes[node_id].created,
                is_fresh=node_id in newest,
                score=scored.get(node_id, UNSCORED),
                cost=limit.measure(node_line(graph.nodes[node_id])) + 1,
            )
            for node_id in active
            if standing(graph, node_id) is Status.CURRENT
        ]
    return sorted(found, key=lambda lesson: (-lesson.created, -lesson.level, lesson.id))


def _archived(graph: Graph, user: Graph, left: _Room) -> list[Block]:
    ids = [node_id for node_id in graph.tiers[Tier.ARCHIVED] if standing(graph, node_id) is Status.CURRENT]
    if not ids or left.left < left.limit.measure(ARCHIVED_HEADING):
        return []
    pool = {*graph.tiers[Tier.ACTIVE], *graph.tiers[Tier.ARCHIVED]} - at_once(fresh_steps(graph, user))
    values = at_once(score_steps(graph, pool, NOW, user))
    ids.sort(key=lambda node_id: (-values.get(node_id, UNSCORED), node_id))
    heading, *lines = [
        archived_heading(graph),
        *(archived_block(graph, each, values.get(each, UNSCORED)) for each in ids),
    ]
    if not left.takes(heading, lines[0]):
        return []
    return [heading, lines[0], *(line for line in lines[1:] if left.takes(line))]
