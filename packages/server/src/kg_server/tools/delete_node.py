"""kg_delete_node: forget a lesson."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from kg_core.model import USER, Change, Tombstone
from kg_core.model.limits import TOMBSTONES
from kg_core.render import one_line, relation
from kg_plugin_api import Code, KgError
from kg_server.counting import counted
from kg_server.tools.arguments import Arguments, Level, Name
from kg_server.tools.evidence import rested
from kg_server.tools.levels import is_same_spelling, level_of, prefixed
from kg_server.tools.plan import Call, Plan, said

if TYPE_CHECKING:
    from kg_core.model import Graph, Node


_NAMED: Final = 10
"""Edges that went with a lesson and are named."""


class DeleteNode(Arguments):
    """Arguments of kg_delete_node."""

    id: Annotated[Name, Field(description="The node's id.")]
    level: Annotated[Level | None, Field(description="Needed only when the id exists on both levels.")] = None


def plan(arguments: DeleteNode, call: Call) -> Plan:
    """Removes the node with its level's edges and leaves a tombstone; edges of other levels become dormant."""
    graph, node = call.pending.locate(arguments.id, arguments.level)
    if node.locked:
        raise KgError(Code.REFUSED, f"{node.id!r} is locked by a person and was not deleted. Tell the user.")
    change = removal(graph, node, Tombstone(at=call.now, by=call.by))
    lines = [*told(graph, node), *_edges_gone(graph, node), *rested(call, graph.key, node.id)]
    if not is_same_spelling(node, prefixed(arguments.id)[1]):
        lines.insert(1, f"It said: {one_line(node.gist)}")
    return replace(said(*lines), changes=(change,))


def _edges_gone(graph: Graph, node: Node) -> list[str]:
    """Which relations went with it: who folds a twin into another lesson wants them there."""
    edges = graph.edges_of(node.id)
    if not edges:
        return []
    more = f"; {len(edges) - _NAMED} more" if len(edges) > _NAMED else ""
    return [f"With it went: {'; '.join(relation(edge) for edge in edges[:_NAMED])}{more}."]


def removal(graph: Graph, node: Node, tombstone: Tombstone) -> Change:
    """The change that takes a node out of its graph with all that hangs on it there."""
    return Change(
        graph=graph.key,
        nodes={node.id: None},
        use={node.id: None} if node.id in graph.use else {},
        edges={edge.key: None for edge in graph.edges_of(node.id)},
        tombstones=buried(graph, node.id, tombstone),
    )


def told(graph: Graph, node: Node) -> list[str]:
    """What such a change takes away, and what stays of it elsewhere."""
    edges = len(graph.edges_of(node.id))
    projects = graph.use_of(node.id).inbound if graph.key == USER else ()
    lines = [f"Deleted {node.id!r} ({level_of(graph)})" + (f" and {counted(edges, 'edge')}." if edges else ".")]
    if projects:
        lines.append(f"Edges into it from {', '.join(slug for slug, _ in projects)} are kept, but no longer shown.")
    return lines


def buried(graph: Graph, node_id: str, tombstone: Tombstone) -> dict[str, Tombstone | None]:
    """A new tombstone; the oldest one makes room when there are too many.

    It is never older than what it buries: a clock that was set back meanwhile undoes no deletion.
    """
    written = graph.nodes[node_id].written
    if written is not None and written.at > tombstone.at:
        tombstone = replace(tombstone, at=written.at)
    changed: dict[str, Tombstone | None] = {node_id: tombstone}
    if len(graph.tombstones) >= TOMBSTONES and node_id not in graph.tombstones:
        changed[min(graph.tombstones, key=lambda known: graph.tombstones[known].at)] = None
    return changed
