"""kg_read: the whole memory, or nodes in full."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from kg_core.model import USER, USER_PREFIX, Change, EndKind, end_kind
from kg_core.model.limits import FULL_READ
from kg_core.model.steps import at_once
from kg_core.policy import LevelView, full_read
from kg_core.policy.why import brought_back
from kg_core.render import Block, Mark, MarkKind
from kg_plugin_api import KgError
from kg_server.texts.titles import level_title
from kg_server.tools.arguments import Arguments, Ids, Level
from kg_server.tools.plan import Call, Plan
from kg_server.tools.showing import shown_in_full

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.model import Graph, GraphKey, Node
    from kg_core.model.steps import Steps

_MOST = 50
_IN_NONE = "cwd is in no project; the home, the root and temporary folders have none"


class Read(Arguments):
    """Arguments of kg_read."""

    ids: Annotated[
        Ids,
        Field(description="Nodes to read in full, all in one call. Left out: every level's gists.", max_length=_MOST),
    ] = ()
    level: Annotated[Level | None, Field(description="One level alone.")] = None
    more: Annotated[bool, Field(description="The next part of the reply before.")] = False
    cwd: Annotated[str, Field(description="Absolute path of the project's folder, where kg cannot know it.")] = ""
    maintenance: Annotated[bool, Field(description="Opens a maintenance session.")] = False


def plan(arguments: Read, call: Call) -> Plan:
    """Shows levels or nodes. Reading a node by id brings it back to the active ones, but for maintenance."""
    return at_once(steps(arguments, call))


def steps(arguments: Read, call: Call) -> Steps[Plan]:
    """:func:`plan` in small steps where it shows levels, and at once where it shows nodes."""
    if arguments.more:
        return Plan(more=True, paged=True)
    decided = _nodes(arguments, call) if arguments.ids else (yield from _levels(arguments, call))
    first, *others = decided.blocks
    text = first.text
    if arguments.cwd and call.context.project not in {"", call.project_of(arguments.cwd)}:
        text = f"{_elsewhere(call)}\n{text}"
    if not call.harness.events:
        text = f"session_id: {call.context.id} (pass it in every kg_* call)\n{text}"
    # Within the first block: one that is longer than a page begins a page, and would leave these words alone on theirs.
    return replace(decided, blocks=(replace(first, text=text), *others), paged=True)


def _elsewhere(call: Call) -> str:
    """Of a session that asks for another project than its own: it would take the one for the other."""
    return (
        f"(cwd is outside of project {call.context.project_name!r}, which this session keeps: what it reads and saves "
        "with level 'project' is there.)"
    )


def _nodes(arguments: Read, call: Call) -> Plan:
    places: dict[tuple[GraphKey, str], tuple[Graph, Node]] = {}
    problems: list[str] = []
    for text in dict.fromkeys(arguments.ids):
        try:
            graph, node = call.durable.locate(text, arguments.level)
        except KgError as error:
            problems.append(error.sentence)
        else:
            places[graph.key, node.id] = (graph, node)
    found = list(places.values())
    blocks = shown_in_full(found, call.durable, is_upkeep=call.context.maintenance)
    if problems:
        blocks.append(Block(text="\n".join(problems)))
    changes = () if call.context.maintenance else tuple(_brought_back(graph, found, call) for graph in _pending(call))
    return Plan(changes=changes, blocks=tuple(blocks), incidental=True, is_error=not found)


def _pending(call: Call) -> list[Graph]:
    """The pending graphs of the call."""
    return [each for each in (call.pending.user, call.pending.project, call.pending.maintain) if each is not None]


def _brought_back(graph: Graph, found: list[tuple[Graph, Node]], call: Call) -> Change:
    """The stamps of a read: what was read is active, and its orphaned neighbours, of either level, are archived."""
    ids = [node.id for at, node in found if at.key == graph.key]
    return Change(graph=graph.key, use=brought_back(graph, ids, call.now, _across(graph, found, call.pending.project)))


def _across(graph: Graph, found: list[tuple[Graph, Node]], project: Graph | None) -> Iterator[str]:
    """The nodes of a level that edges of the project tie to what was found on the other one."""
    if project is None or graph.key not in {USER, project.key}:
        return
    for at, node in found:
        if at.key == graph.key or at.key not in {USER, project.key}:
            continue
        end = USER_PREFIX + node.id if at.key == USER else node.id
        for edge in project.edges_of(end):
            other = edge.target if edge.source == end else edge.source
            if end_kind(other) is (EndKind.USER if graph.key == USER else EndKind.NODE):
                yield other.removeprefix(USER_PREFIX)


def _levels(arguments: Read, call: Call) -> Steps[Plan]:
    levels = call.durable
    graphs = (levels.graph(arguments.level),) if arguments.level is not None else levels.searched()
    views = [LevelView(level_title(graph), graph) for graph in graphs]

    def is_preloaded(graph: Graph, node_id: str) -> bool:
        key: tuple[GraphKey, str] = (graph.key, node_id)
        return key in call.known.nodes and call.known.was_preloaded(graph.key, graph.nodes[node_id])

    blocks = yield from full_read(views, levels.user, call.now, FULL_READ, is_preloaded)
    if arguments.level is None and levels.project is None:
        reason = _IN_NONE if arguments.cwd else "kg_read with cwd, the project's absolute path, adds it"
        blocks = (*blocks, Block(text=f"(No project memory: {reason}.)"))
    return Plan(blocks=blocks, marks=tuple(Mark(MarkKind.FULL, graph.key) for graph in graphs))
