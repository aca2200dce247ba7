"""Three-way merge of graphs: pure, and never losing a node.

``base`` is what both sides started from, ``ours`` what this store holds, ``theirs`` what somebody made of the same
base. For every node, edge and progress, a side that left it alone yields to the side that changed it. When both
changed a node differently, ours stays and theirs is kept under its ``conflicts``. Saying when a node was created that
did not say so is no change: the store does so for a person who adds one. A deletion yields to a change of the other
side, unless a tombstone is at least as young as that change; an old checkout brings nothing deleted back. That a lesson
has aged on one side is no deletion of what the other has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from kg_core.model.codec import node_record
from kg_core.model.graph import AGEING, Change, Graph
from kg_core.model.limits import GIST_CHANGES
from kg_core.model.use import UNUSED, Tier, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from immutables import Map

    from kg_core.model.edge import Edge, EdgeKey
    from kg_core.model.graph import Progress, Tombstone
    from kg_core.model.node import Node, Written
    from kg_core.model.times import Millis

_VISIBILITY: Final = {Tier.ORPHANED: 0, Tier.ARCHIVED: 1, Tier.ACTIVE: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The merged graph, and the ids whose two sides could not both be had."""

    graph: Graph
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which ids, edges and tasks a step of a merge looks at."""

    ids: tuple[str, ...] = ()
    edges: tuple[EdgeKey, ...] = ()
    tasks: tuple[str, ...] = ()


def merge(base: Graph, ours: Graph, theirs: Graph) -> Merged:
    """The three-way merge of whole graphs of one key."""
    part = Part(
        ids=tuple(sorted(_either(theirs, base, "nodes", "tombstones", "use"))),
        edges=tuple(sorted(_either(theirs, base, "edges"))),
        tasks=tuple(sorted(_either(theirs, base, "progress"))),
    )
    change, conflicts = merge_part(base, ours, theirs, part)
    merged = replace(ours.apply(change), extra=merge_extra(base.extra, ours.extra, theirs.extra))
    return Merged(graph=merged, conflicts=conflicts)


def _either(theirs: Graph, base: Graph, *fields: str) -> set[Any]:
    return {key for graph in (theirs, base) for field in fields for key in getattr(graph, field)}


def merge_part(base: Graph, ours: Graph, theirs: Graph, part: Part) -> tuple[Change, tuple[str, ...]]:
    """What makes ``ours`` the merge as far as ``part`` names it, and the ids in conflict. Parts make small steps."""
    nodes: dict[str, Node | None] = {}
    tombstones: dict[str, Tombstone | None] = {}
    use: dict[str, Use | None] = {}
    conflicts: list[str] = []
    for key in part.ids:
        node, in_conflict = _merge_node(base, ours, theirs, key)
        tombstone = None
        if node is None:
            tombstone = _later_tombstone(ours.tombstones.get(key), theirs.tombstones.get(key))
        if node is not ours.nodes.get(key):
            nodes[key] = node
        if tombstone is not ours.tombstones.get(key):
            tombstones[key] = tombstone
        merged_use = _three_way(base.use, ours.use, theirs.use, key, merge_use) if node is not None else None
        if merged_use is not ours.use.get(key):
            use[key] = merged_use
        if in_conflict:
            conflicts.append(key)
    edges: dict[EdgeKey, Edge | None] = {}
    for edge_key in part.edges:
        edge = _three_way(base.edges, ours.edges, theirs.edges, edge_key, _both_edges)
        if edge is not ours.edges.get(edge_key):
            edges[edge_key] = edge
    progress: dict[str, Progress | None] = {}
    for task in part.tasks:
        state = _three_way(base.progress, ours.progress, theirs.progress, task, _later_progress)
        if state is not ours.progress.get(task):
            progress[task] = state
    change = Change(graph=ours.key, nodes=nodes, use=use, edges=edges, tombstones=tombstones, progress=progress)
    return change, tuple(conflicts)


def merge_extra(base: Map[str, Any], ours: Map[str, Any], theirs: Map[str, Any]) -> Map[str, Any]:
    """The unknown keys of the merged file; when both sides changed one, ours stays."""
    merged = ours
    for name in {*base, *theirs}:
        value = _three_way(base, ours, theirs, name, _ours)
        if value is not None:
            merged = merged.set(name, value)
        elif name in merged:
            merged = merged.delete(name)
    return merged


def merge_use(ours: Use, theirs: Use) -> Use:
    """Two uses of one node: what either knows, the latest times, the more visible tier."""
    tier = max(ours.tier, theirs.tier, key=_VISIBILITY.__getitem__)
    inbound = dict(theirs.inbound)
    for slug, count in ours.inbound:
        inbound[slug] = max(count, inbound.get(slug, 0))
    return Use(
        tier=tier,
        orphaned_at=max(ours.orphaned_at, theirs.orphaned_at) if tier is Tier.ORPHANED else 0,
        activity_at=max(ours.activity_at, theirs.activity_at),
        read_at=max(ours.read_at, theirs.read_at),
        stamps=tuple(sorted({*ours.stamps, *theirs.stamps})),
        credited=tuple(sorted({*ours.credited, *theirs.credited})),
        recurrence=tuple(sorted({*ours.recurrence, *theirs.recurrence})),
        gist_changes=tuple(sorted({*ours.gist_changes, *theirs.gist_changes})[-GIST_CHANGES:]),
        inbound=tuple(sorted(inbound.items())),
        extra={**theirs.extra, **ours.extra} or UNUSED.extra,
    )


def _merge_node(base: Graph, ours: Graph, theirs: Graph, key: str) -> tuple[Node | None, bool]:
    mine, other = ours.nodes.get(key), theirs.nodes.get(key)
    node, in_conflict = _three_way_node(base.nodes.get(key), mine, other)
    if node is None or (mine is not None and other is not None):
        return node, in_conflict
    tombstone = (ours if mine is None else theirs).tombstones.get(key)
    if other is None and tombstone == base.tombstones.get(key):
        return node, in_conflict  # no deletion of theirs: we have lifted the old one on purpose
    if tombstone is not None and tombstone.by == AGEING and key in base.nodes:
        return node, False  # out of sight on one side; in use, and another now, on the other
    return (None, False) if tombstone is not None and _buries(tombstone, node) else (node, in_conflict)


def _three_way_node(before: Node | None, mine: Node | None, other: Node | None) -> tuple[Node | None, bool]:
    if mine == other or other == before:
        return mine, False
    if mine == before:
        return other, False
    if mine is not None and other is not None and mine.version == other.version:
        return _same_content(mine, other), False
    if _is_only_dated(mine, before):
        return other and (other if other.created else replace(other, created=mine.created)), False
    if _is_only_dated(other, before):
        return mine, False
    if mine is None or other is None:
        return mine or other, mine is not None
    return set_aside(mine, other), True


def _is_only_dated(node: Node | None, before: Node | None) -> TypeGuard[Node]:
    """Whether a side did no more than say when a node was created that did not say so itself."""
    return node is not None and before is not None and not before.created and replace(node, created=0) == before


def _buries(tombstone: Tombstone, node: Node) -> bool:
    """Whether the deletion is at least as young as the content. Content that names no time is a person's, and stays."""
    return node.written is not None and node.written.at <= tombstone.at


def _same_content(mine: Node, other: Node) -> Node:
    written = max(mine.written, other.written, key=_written_at)
    created = min((at for at in (mine.created, other.created) if at), default=0)
    return replace(mine, written=written, created=created, conflicts=_union(mine.conflicts, other.conflicts))


def set_aside(mine: Node, other: Node) -> Node:
    """Our node, with the other's content under its ``conflicts``; the same content is kept once."""
    aside = node_record(replace(other, conflicts=()))
    return replace(mine, conflicts=_union(mine.conflicts, (aside, *other.conflicts)))


def dated(change: Change, at: Millis) -> Change:
    """The change with each node that a person added without a word on when created ``at`` that time."""

    def is_silent(node: Node) -> bool:
        return not node.created and node.written is None and not {"created", "written"} & node.extra.keys()

    nodes = {
        node_id: replace(node, created=at) if node is not None and is_silent(node) else node
        for node_id, node in change.nodes.items()
    }
    return replace(change, nodes=nodes)


def _written_at(written: Written | None) -> int:
    return -1 if written is None else written.at


def _union(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items of both in order, equal ones once; the very tuple ``first`` when nothing is added."""
    added: list[Any] = []
    for item in second:
        if item not in first and item not in added:
            added.append(item)
    return (*first, *added) if added else first


def _both_edges(mine: Edge, other: Edge) -> Edge:
    created = min((at for at in (mine.created, other.created) if at), default=0)
    return replace(
        mine, notes=_union(mine.notes, other.notes), created=created, extra={**other.extra, **mine.extra} or mine.extra
    )


def _later_progress(mine: Progress, other: Progress) -> Progress:
    return other if other.at > mine.at else mine


def _ours(mine: Any, _other: Any) -> Any:
    return mine


def _later_tombstone(mine: Tombstone | None, other: Tombstone | None) -> Tombstone | None:
    if mine is None or other is None:
        return mine or other
    return other if other.at > mine.at else mine


def _three_way(
    base: Mapping[Any, Any],
    ours: Mapping[Any, Any],
    theirs: Mapping[Any, Any],
    key: object,
    combine: Callable[[Any, Any], Any],
) -> Any:
    before, mine, other = base.get(key), ours.get(key), theirs.get(key)
    if mine == other or other == before:
        return mine
    if mine == before:
        return other
    if mine is None or other is None:
        return other if mine is None else mine
    return combine(mine, other)
