"""kg_rename_node: give a lesson a better id and keep everything else of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from kg_core.model import DERIVED_FROM, USER, USER_PREFIX, Change, Edge, EdgeKey, Tombstone, project_key
from kg_core.model.ids import advice, check_id
from kg_core.render.block import Mark, MarkKind
from kg_plugin_api import Code, KgError
from kg_server.counting import counted
from kg_server.tools.arguments import Arguments, Level, Name
from kg_server.tools.delete_node import buried
from kg_server.tools.evidence import has_evidence, needed, refuse_circles
from kg_server.tools.levels import bare_id, level_of, lookup
from kg_server.tools.plan import Call, Plan, said

if TYPE_CHECKING:
    from kg_core.model import Graph, GraphKey


class RenameNode(Arguments):
    """Arguments of kg_rename_node."""

    old_id: Annotated[Name, Field(description="The node's id now.")]
    new_id: Annotated[Name, Field(description="Its new id: the subject in 3 to 5 words.")]
    level: Annotated[Level | None, Field(description="Needed only when the id exists on both levels.")] = None


def graphs(arguments: RenameNode, call: Call) -> tuple[GraphKey, ...]:
    """The graphs of other projects whose edges end in the node, or that may have a part of a circle of evidence."""
    graph, node = call.pending.locate(arguments.old_id, arguments.level)
    across = {project_key(slug) for slug, _ in graph.use_of(node.id).inbound} if graph.key == USER else set()
    new_id = check_id(bare_id(graph, arguments.new_id))
    if has_evidence(call, graph.key, new_id):  # it is there before the node: the two become one lesson
        across |= {*needed(call, [(graph.key, EdgeKey(node.id, DERIVED_FROM, new_id))])}
        across |= {*needed(call, [(graph.key, EdgeKey(new_id, DERIVED_FROM, node.id))])}
    return tuple(sorted(across))


def plan(arguments: RenameNode, call: Call) -> Plan:
    """Moves the node, its use and its edges to the new id; time and author of its content stay as they were."""
    graph, node = call.pending.locate(arguments.old_id, arguments.level)
    if node.locked:
        raise KgError(Code.REFUSED, f"{node.id!r} is locked by a person and was not renamed. Tell the user.")
    new_id = check_id(bare_id(graph, arguments.new_id))
    if new_id == node.id:
        return said(f"{node.id!r} has this id already; nothing was written.")
    other = lookup(graph, new_id)
    if other is not None and other.id != node.id:
        raise KgError(
            Code.CONFLICT,
            f"Level '{level_of(graph)}' already has {other.id!r}. Choose another id; or, if the two say the same, add "
            f"the notes of {node.id!r} to it with kg_put_node, relate it as that one is, and delete that one.",
            {"id": other.id},
        )
    renamed = replace(node, id=new_id)
    change = Change(
        graph=graph.key,
        nodes={node.id: None, new_id: renamed},
        use={node.id: None, new_id: graph.use_of(node.id)},
        edges=moved_edges(graph, node.id, new_id),
        tombstones=_tombstones(call, graph, node.id, new_id),
        renamed={node.id: new_id},
    )
    changes = [change]
    if graph.key == USER:
        across = [call.pending.project, *call.loaded.values()]
        changes += _moved_across({g.key: g for g in across if g is not None}, node.id, new_id)
    if has_evidence(call, graph.key, new_id):
        refuse_circles(call, changes)
    learned = []
    if call.known.has_viewed(graph.key, node):
        learned.append(Mark(MarkKind.SEEN, graph.key, new_id, renamed.version))
    if call.known.has_read(graph.key, node):
        learned.append(Mark(MarkKind.READ, graph.key, new_id, renamed.version))
    edges = sum(edge is not None for part in changes for edge in part.edges.values())
    lines = [f"Renamed {node.id!r} to {new_id!r} ({level_of(graph)}); {counted(edges, 'edge')} went with it."]
    if remark := advice(new_id):
        lines.append(f"Note: {remark}.")
    return replace(said(*lines), changes=tuple(changes), learned=tuple(learned))


def moved_edges(graph: Graph, old: str, new: str) -> dict[EdgeKey, Edge | None]:
    """The edges of ``old`` with ``new`` in its place; two that become one join their notes."""
    removed: dict[EdgeKey, Edge | None] = {}
    added: dict[EdgeKey, Edge | None] = {}
    for edge in graph.edges_of(old):
        moved = replace(
            edge,
            source=new if edge.source == old else edge.source,
            target=new if edge.target == old else edge.target,
        )
        twin = added.get(moved.key) or graph.edges.get(moved.key)
        if twin is not None:
            moved = replace(moved, notes=tuple(dict.fromkeys((*twin.notes, *moved.notes))))
        removed[edge.key] = None
        added[moved.key] = moved
    return {**removed, **added}


def _moved_across(projects: dict[GraphKey, Graph], old: str, new: str) -> list[Change]:
    changes = []
    for key, project in projects.items():
        edges = moved_edges(project, USER_PREFIX + old, USER_PREFIX + new)
        if edges:
            changes.append(Change(graph=key, edges=edges))
    return changes


def _tombstones(call: Call, graph: Graph, old: str, new: str) -> dict[str, Tombstone | None]:
    """The old id stays away when older copies of the graph are merged; the new one is alive."""
    stones = buried(graph, old, Tombstone(at=call.now, by=call.by))
    return {**stones, **({new: None} if new in graph.tombstones else {})}
