"""One node in full: what a read by id shows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kg_core.model import PROJECT_PREFIX, USER, USER_PREFIX, Kind, Status, Tier, to_iso
from kg_core.render.block import Block, Mark, MarkKind, Rank
from kg_core.render.level import block_name
from kg_core.render.lines import relation
from kg_core.render.neutral import one_line
from kg_core.render.standing import replacements, standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kg_core.model import Edge, Graph, Node


def node_blocks(
    node: Node, graph: Graph, user: Graph | None, others: Iterable[Graph] = (), *, is_upkeep: bool = False
) -> list[Block]:
    """A node of ``graph`` with all that is kept of it, as one block.

    ``others`` are the graphs whose edges may end in a node of the user graph; of further projects with such edges the
    names are given. Dormant edges are left out. ``is_upkeep`` shows what maintenance did to it before, too.
    """
    marks = tuple(Mark(kind, graph.key, node.id, node.version) for kind in (MarkKind.SEEN, MarkKind.READ))
    lines = [*_lines(node, graph, user, tuple(others)), *(_upkeep(node, graph) if is_upkeep else ())]
    text = "\n".join(lines)
    return [Block(text=text, rank=Rank.ESSENTIAL, marks=marks, name=block_name(graph, node.id))]


def _lines(node: Node, graph: Graph, user: Graph | None, others: tuple[Graph, ...]) -> Iterator[str]:
    yield f"{one_line(node.id)} ({', '.join(_facts(node, graph))})"
    yield f"  gist: {one_line(node.gist)}"
    yield from _listed("notes", node.notes)
    yield from _listed("touches", node.touches)
    if node.tags:
        yield f"  tags: {', '.join(one_line(tag) for tag in node.tags)}"
    if node.observer:
        yield f"  observer: {one_line(node.observer)}"
    if node.observed:
        yield f"  observed: {one_line(node.observed)}"
    edges = list(_edges(node, graph, user, others))
    if edges:
        yield "  edges:"
    for edge in edges:
        yield f"    {relation(edge)}"
        for note in edge.notes:
            yield f"      - {one_line(note)}"
    shown = {other.key.removeprefix(PROJECT_PREFIX) for other in others}
    elsewhere = [f"{one_line(slug)} ({count})" for slug, count in graph.use_of(node.id).inbound if slug not in shown]
    if elsewhere:
        yield f"  edges from other projects: {', '.join(elsewhere)}"
    if node.conflicts:
        yield "  set aside by a merge (the next put closes it):"
    for conflict in node.conflicts:
        yield f"    - {one_line(json.dumps(dict(conflict), ensure_ascii=False, sort_keys=True, default=str))}"


def _upkeep(node: Node, graph: Graph) -> Iterator[str]:
    credited = graph.use_of(node.id).credited
    if credited:
        yield f"  credited by maintenance: {', '.join(to_iso(at)[:10] for at in credited)}"


def _facts(node: Node, graph: Graph) -> Iterator[str]:
    yield graph.key
    yield (graph.tier(node.id) or Tier.ACTIVE).value
    if node.locked:
        yield "locked"
    if node.kind is Kind.DERIVED:
        yield "derived"
    status = standing(graph, node.id)
    by = replacements(graph, node.id)
    if status is Status.SUPERSEDED and by:
        yield f"superseded by {', '.join(one_line(node_id) for node_id in by)}"
    elif status is not Status.CURRENT:
        yield status.value


def _listed(name: str, values: tuple[str, ...]) -> Iterator[str]:
    if values:
        yield f"  {name}:"
        yield from (f"    - {one_line(value)}" for value in values)


def _edges(node: Node, graph: Graph, user: Graph | None, others: Iterable[Graph]) -> Iterator[Edge]:
    for edge in graph.edges_of(node.id):
        if not graph.is_dormant(edge.source, user) and not graph.is_dormant(edge.target, user):
            yield edge
    if graph.key == USER:
        for other in others:
            if other.key != USER:
                yield from other.edges_of(USER_PREFIX + node.id)
