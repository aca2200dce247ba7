"""kg_search: find lessons by words, on every level and tier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, WithJsonSchema

from kg_core.model import DERIVED_FROM
from kg_core.model.visible import shows
from kg_core.policy import Depth, at_depth, connections, deepened, ranked, scrub
from kg_core.policy.ranking import admits
from kg_core.render import Block, Mark, MarkKind, Rank, cut, fit, node_line, one_line, relation, standing
from kg_plugin_api import Limit, SearchRequest, Unit
from kg_server.sources.notices import degraded_blocks
from kg_server.tools.arguments import Arguments, Level, Named, Words
from kg_server.tools.grounds import grounds_blocks
from kg_server.tools.passages import DOCUMENTS, passage_blocks, without_passages
from kg_server.tools.plan import Call, Plan
from kg_server.tools.showing import whereabouts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.model import Graph, Node
    from kg_plugin_api import SearchHit

_TOP = 5
"""Hits that are shown with their notes."""
_ALL = 15
_QUOTED = 200
"""Characters of a question that found nothing which are repeated."""
_NARROWING = ("level", "tags", "statuses", "depth", "observer", "observed")
_PATHS = "paths"
_REPLY = Limit(10_000, Unit.CHARACTERS)


class Search(Arguments):
    """Arguments of kg_search."""

    query: Annotated[str, Field(description="What you would say about it, in any language.")]
    level: Annotated[Level | None, Field(description="One level alone.")] = None
    tags: Annotated[Words, Field(description="Only lessons that carry all of these tags.")] = ()
    statuses: Annotated[
        tuple[Literal["current", "proposed", "retracted", "superseded"], ...],
        Named,
        Field(description="Which lessons may answer; current and superseded ones unless said otherwise."),
    ] = ("current", "superseded")
    depth: Annotated[
        Depth,
        WithJsonSchema({"type": "string", "enum": [depth.value for depth in Depth]}),  # a schema has no references
        Field(
            description="explicit: what was stated; derived: conclusions too; premises: also what these were concluded "
            "from; ancestry: also what that rests on. auto, unless said otherwise, chooses by what it finds."
        ),
    ] = Depth.AUTO
    observer: Annotated[str, Field(description="Only the views of this observer.")] = ""
    observed: Annotated[str, Field(description="Only views of this person or thing.")] = ""


def question(arguments: Search, call: Call) -> SearchRequest:
    """What the index is asked."""
    levels = call.durable
    graphs = (levels.graph(arguments.level),) if arguments.level is not None else levels.searched()
    request = SearchRequest(
        text=arguments.query,
        graphs=tuple(graph.key for graph in graphs),
        limit=_ALL,
        statuses=tuple(arguments.statuses),
        tags=tuple(arguments.tags),
        observers=(arguments.observer.strip(),) if arguments.observer.strip() else (),
        observed=(arguments.observed.strip(),) if arguments.observed.strip() else (),
        documents=0 if arguments.observer.strip() or arguments.observed.strip() else DOCUMENTS,
    )
    return at_depth(request, arguments.depth)


def plan(arguments: Search, call: Call) -> Plan:
    """The best hits with their notes, what they rest on, the paths between them, the gists of the next ones, and
    pieces of documents.
    """
    graphs = {graph.key: graph for graph in (*call.durable.searched(), call.durable.maintain) if graph is not None}
    documents = passage_blocks(call.results.hits)
    request = question(arguments, call)
    results = ranked(without_passages(call.results), graphs.values(), request)
    found = [
        (hit, graphs[hit.graph], node)
        for hit in results.hits
        if hit.graph in graphs and (node := graphs[hit.graph].nodes.get(hit.id)) is not None
    ]
    if not found and not documents:
        return Plan(blocks=(Block(text=_nothing(arguments)), *degraded_blocks(call.results.degraded, call.known)))
    blocks = [Block(text=f"{len(found)} found:")] if found else []
    for position, (_, graph, node) in enumerate(found):
        blocks += _hit(graph, node, call, value=1.0 - position / _ALL, with_notes=position < _TOP)
    deep = deepened([hit for hit, _, _ in found], graphs.values(), request, arguments.depth)
    blocks += grounds_blocks(deep, graphs, is_asked=arguments.sent("depth"))
    blocks += _paths([hit for hit, _, _ in found[:_TOP]], list(graphs.values()), request)
    blocks += documents
    blocks += degraded_blocks(call.results.degraded, call.known)
    fitted = fit(blocks, _REPLY)
    if call.room is not None and not call.room.holds(fitted.text):
        fitted = fit(blocks, call.room)
    return Plan(blocks=(Block(text=fitted.text, marks=fitted.marks),))


def _nothing(arguments: Search) -> str:
    """What is said when nothing was found: only who looked at everything may take a lesson for a new one."""
    if not shows(arguments.query):
        return "The query is empty. Say in words what you look for; kg_read without ids shows every lesson's gist."
    quoted = repr(cut(scrub(one_line(arguments.query)).text, _QUOTED, Unit.CHARACTERS))
    narrowing = [name for name in _NARROWING if getattr(arguments, name) != Search.model_fields[name].default]
    if not narrowing:
        return f"Nothing matches {quoted}. Other words may; what is new can be saved."
    return f"Nothing matches {quoted} within {' and '.join(narrowing)} as sent. Other words may, or a search without."


def _hit(graph: Graph, node: Node, call: Call, *, value: float, with_notes: bool) -> list[Block]:
    """A hit's gist with the notes that this context has not read; they go first when there is no room."""
    name = f"{graph.key}\x1f{node.id}"
    blocks = [
        Block(
            text=f"{node_line(node, standing(graph, node.id))}  [{whereabouts(graph, node)}]",
            rank=Rank.GIST,
            value=value,
            marks=(Mark(MarkKind.SEEN, graph.key, node.id, node.version),),
            name=name,
        )
    ]
    if with_notes and not call.known.has_read(graph.key, node):
        blocks += [
            Block(text=f"    - {one_line(note)}", rank=Rank.EDGE, value=value, parent=name) for note in node.notes
        ]
    return blocks


def _paths(hits: Sequence[SearchHit], graphs: Sequence[Graph], request: SearchRequest) -> list[Block]:
    """The edges that connect the best hits, and the lessons that they pass: none of a status, a kind or a view that was
    not asked for.

    Evidence is no path: how much of it is shown is what the depth says.
    """
    levels = {graph.key: graph for graph in graphs}
    anywhere = replace(request, graphs=tuple(levels), tags=())
    found = connections(
        hits, graphs, lambda graph, node_id: admits(anywhere, levels, graph.key, node_id), (DERIVED_FROM,)
    )
    if not found.edges:
        return []
    blocks = [Block(text="How they hang together:", rank=Rank.EDGE, value=0.1, name=_PATHS)]
    for place in found.connectors:
        node = levels[place.graph].nodes[place.id]
        mark = Mark(MarkKind.SEEN, place.graph, place.id, node.version)
        text = node_line(node, standing(levels[place.graph], place.id))
        blocks.append(Block(text=text, rank=Rank.EDGE, value=0.05, marks=(mark,), parent=_PATHS))
    blocks += [
        Block(text=f"    {relation(edge)}", rank=Rank.EDGE, value=0.05, parent=_PATHS) for _, edge in found.edges
    ]
    return blocks
