"""kg_put_edge: relate two nodes, or a node and a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict, Field

from kg_core.model import DERIVED_FROM, SUPERSEDES, Change, Edge, EdgeKey, EndKind, end_kind
from kg_core.policy.credits import recurrence
from kg_core.policy.derivation import place_of
from kg_core.render import one_line
from kg_plugin_api import Code, KgError
from kg_server.tools.arguments import Arguments, Level, Name, Texts
from kg_server.tools.content import as_stored, checked_notes, missing
from kg_server.tools.edges import graph_for, resolved_end
from kg_server.tools.evidence import Conclusion, concluded, needed, refuse_circles, rested
from kg_server.tools.levels import level_of
from kg_server.tools.plan import Call, Plan, said
from kg_server.tools.relations import edge_key, relation
from kg_server.tools.superseding import refuse_locked, refuse_rounds, unretired

if TYPE_CHECKING:
    from kg_core.model import Graph, GraphKey

FROM = Field(alias="from", description="A node id, 'user:<id>' for a user node, or a file path.")
TO = Field(alias="to", description="A node id, 'user:<id>' for a user node, or a file path.")


class PutEdge(Arguments):
    """Arguments of kg_put_edge."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Annotated[Name, FROM]
    rel: Annotated[Name, Field(description="The relation, a verb: 'guards', 'implemented-in', 'supersedes'.")]
    target: Annotated[Name, TO]
    notes: Annotated[Texts, Field(description="Reasons, one each. Replaces the stored list.")] = ()
    level: Annotated[Level | None, Field(description="Needed only when an id exists on both levels.")] = None


def graphs(arguments: PutEdge, call: Call) -> tuple[GraphKey, ...]:
    """Of evidence, the graphs of other projects through which it may come back to where it began."""
    if relation(arguments.rel) != DERIVED_FROM:
        return ()
    graph, key = _edge(arguments, call)
    return needed(call, [(graph.key, key)])


def plan(arguments: PutEdge, call: Call) -> Plan:
    """Saves the edge with its ends resolved, and of evidence that its source is a conclusion; an unchanged edge is not
    written.
    """
    graph, key = _edge(arguments, call)
    source, rel, target = key
    stored = graph.edges.get(key)
    base = stored or Edge(source=source, rel=rel, target=target, created=call.now, by=call.by)
    notes = as_stored(checked_notes(arguments.notes), base.notes) if arguments.sent("notes") else base.notes
    edge = replace(base, notes=notes)
    named = f"{source} --{rel}--> {target}"
    recurs = recurrence(edge, graph, call.pending.user)
    if edge == stored and recurs is None:
        return said(f"{named} is there already; nothing was written.")
    change = Change(graph=graph.key, edges={key: edge})
    changed = concluded(call, graph.key, key) if stored is None else Conclusion()
    changes = (change, *changed.changes)
    refuse_circles(call, changes)
    if stored is None:
        refuse_rounds(graph, key)
        refuse_locked(graph, key)
    lines = [f"Saved {named} ({level_of(graph)}).", *changed.lines, *unretired(key)]
    lines += [f"  removed from its notes: {one_line(text)}" for text in missing(base.notes, notes)]
    if rel == SUPERSEDES and stored is None and (place := place_of(graph.key, target)) is not None:
        lines += rested(call, place.graph, place.id)
    if stored is None:
        ends = [end for end in (source, target) if end_kind(end) is EndKind.PATH and ", " in end]
        lines += [
            f"Note: {end!r} is kept as the name of one file. For several, save an edge with each." for end in ends
        ]
    if recurs is not None:
        _, node_id, _ = recurs
        lines.append(f"A later case counts as a vote for {node_id!r}.")
    return replace(said(*lines), changes=changes, learned=changed.learned)


def _edge(arguments: PutEdge, call: Call) -> tuple[Graph, EdgeKey]:
    """The graph that holds the edge, and its key. Raises INVALID, NOT_FOUND and AMBIGUOUS."""
    graph = graph_for(call.pending, arguments.source, arguments.target, arguments.level)
    source = resolved_end(graph, call.pending.user, arguments.source)
    target = resolved_end(graph, call.pending.user, arguments.target)
    key = edge_key(graph, source, arguments.rel, target)
    if end_kind(source) is EndKind.PATH and end_kind(target) is EndKind.PATH:
        raise KgError(Code.INVALID, "An edge relates a node with a node or a file; both ends are file paths.")
    if end_kind(source) is EndKind.PATH and key.rel == DERIVED_FROM:
        raise KgError(Code.INVALID, f"{DERIVED_FROM} leads from a conclusion, which is a lesson, to what it rests on.")
    if source == target:
        raise KgError(Code.INVALID, f"Both ends are {source!r}; an edge relates two different things.")
    return graph, key
