"""kg_useful: say which lessons helped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from kg_core.model import Change, Stamp, StampKind
from kg_plugin_api import Code, KgError
from kg_server.tools.arguments import Arguments, Level, Texts
from kg_server.tools.plan import Call, Plan, said

if TYPE_CHECKING:
    from kg_core.model import Graph, GraphKey, Use

SUGGESTED = 5
MOST = 10


class Useful(Arguments):
    """Arguments of kg_useful."""

    ids: Annotated[Texts, Field(description="Ids of nodes that helped.", min_length=1, max_length=MOST)]
    level: Annotated[Level | None, Field(description="Needed only when an id exists on both levels.")] = None


def plan(arguments: Useful, call: Call) -> Plan:
    """Stamps each node once per context; what cannot be stamped is named and stops nothing else."""
    if call.context.maintenance:
        raise KgError(Code.REFUSED, "A maintenance session does not endorse: what it reads is not its own work.")
    given = sum(_endorsements(graph, call.by) for graph in call.pending.searched())
    changed: dict[GraphKey, dict[str, Use]] = {}
    marked: list[str] = []
    skipped: list[str] = []
    for text in dict.fromkeys(arguments.ids):
        try:
            graph, node = call.pending.locate(text, arguments.level)
        except KgError as error:
            skipped.append(f"Skipped {text!r}: {error.sentence}")
            continue
        use = changed.get(graph.key, {}).get(node.id) or graph.use_of(node.id)
        if _is_endorsed(use, call.by):
            skipped.append(f"Skipped {node.id!r}: this session has marked it already.")
        elif given >= MOST:
            skipped.append(f"Skipped {node.id!r}: a session marks at most {MOST} nodes.")
        else:
            stamps = (*use.stamps, Stamp(call.now, StampKind.ENDORSEMENT, call.by))
            changed.setdefault(graph.key, {})[node.id] = replace(use, stamps=stamps)
            marked.append(node.id)
            given += 1
    lines = [f"Marked as useful: {', '.join(marked)}."] if marked else []
    lines += skipped
    if given > SUGGESTED and marked:
        lines.append(f"That makes {given} in this session; {SUGGESTED} say more than {MOST}.")
    changes = tuple(Change(graph=key, use=use) for key, use in changed.items())
    return replace(said(*lines, is_error=not marked), changes=changes)


def _is_endorsed(use: Use, by: str) -> bool:
    return any(stamp.kind is StampKind.ENDORSEMENT and stamp.by == by for stamp in use.stamps)


def _endorsements(graph: Graph, by: str) -> int:
    """How many nodes of a graph a context has endorsed."""
    return sum(1 for use in graph.use.values() if use.stamps and _is_endorsed(use, by))
