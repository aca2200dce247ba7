"""kg_delete_edge: take a relation back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import ConfigDict, Field

from kg_core.model import Change, EdgeKey
from kg_core.render import one_line
from kg_plugin_api import Code, KgError
from kg_server.tools.arguments import Arguments, Level, Name
from kg_server.tools.edges import stored_end
from kg_server.tools.levels import level_name, level_of
from kg_server.tools.plan import Call, Plan, said
from kg_server.tools.put_edge import FROM, TO
from kg_server.tools.relations import between, stored_key

if TYPE_CHECKING:
    from kg_core.model import Graph

_NAMED: Final = 10


class DeleteEdge(Arguments):
    """Arguments of kg_delete_edge."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Annotated[Name, FROM]
    rel: Annotated[Name, Field(description="The relation.")]
    target: Annotated[Name, TO]
    level: Annotated[Level | None, Field(description="Needed only when the edge exists on both levels.")] = None


def plan(arguments: DeleteEdge, call: Call) -> Plan:
    """Removes the edge, dormant ones too."""
    levels = call.pending
    graphs = (levels.graph(arguments.level),) if arguments.level is not None else levels.searched()
    found: list[tuple[Graph, EdgeKey]] = []
    others: list[EdgeKey] = []
    for graph in graphs:
        source, target = stored_end(graph, arguments.source), stored_end(graph, arguments.target)
        key = stored_key(graph, source, arguments.rel, target)
        if key is not None:
            found.append((graph, key))
        others += between(graph, source, target)
    named = _shown(EdgeKey(arguments.source, arguments.rel, arguments.target))
    if not found:
        where = " or ".join(level_name(graph) for graph in graphs)
        there = "; ".join(_shown(key) for key in others[:_NAMED])
        hint = f"Between them there is: {there}." if there else "kg_read(ids) lists a node's edges."
        raise KgError(Code.NOT_FOUND, f"There is no edge {named} on level {where}. {hint}")
    if len(found) > 1:
        raise KgError(
            Code.AMBIGUOUS,
            f"{named} exists on the levels 'user' and 'project'. Repeat the call with one of them as level.",
            {"levels": ["user", "project"]},
        )
    graph, key = found[0]
    change = Change(graph=graph.key, edges={key: None})
    return replace(said(f"Deleted {_shown(key)} ({level_of(graph)})."), changes=(change,))


def _shown(key: EdgeKey) -> str:
    return f"{one_line(key.source)} --{one_line(key.rel)}--> {one_line(key.target)}"
