"""kg_progress: save where a task stands, and read it back."""

from __future__ import annotations

import heapq
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BeforeValidator, Field

from kg_core.model import Change, Progress, to_iso
from kg_core.model.foreign import TEXT, as_object
from kg_core.model.ids import check_id, fold
from kg_core.model.limits import PROGRESS_BYTES
from kg_core.render import Block, one_line
from kg_plugin_api import Code, KgError
from kg_server.tools.arguments import Arguments, Level, Name
from kg_server.tools.levels import level_of
from kg_server.tools.plan import Call, Plan, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model import Graph

_NAMED: Final = 10
"""Tasks that are named to who asks for one that is not there."""


def _as_text(value: object) -> object:
    """Many models send the object itself where its text is asked for."""
    if not isinstance(value, dict | list):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return value  # the schema's own refusal says what to send instead


class ProgressArguments(Arguments):
    """Arguments of kg_progress."""

    task_id: Annotated[Name, Field(description="The task's name: letters and digits joined by '-'.")]
    state: Annotated[
        str,
        BeforeValidator(_as_text),
        Field(description="Where it stands: text, or a JSON object as text. Left out: read. Empty: forget."),
    ] = ""
    level: Annotated[Level, Field(description="'user' unless said otherwise.")] = "user"


def plan(arguments: ProgressArguments, call: Call) -> Plan:
    """Reads, saves or forgets a task's state."""
    graph = call.durable.graph(arguments.level)
    task = _stored(graph, check_id(arguments.task_id))
    if not arguments.sent("state"):
        stored = graph.progress.get(task)
        if stored is None:
            return _nothing(call, arguments.level, task)
        lines = [f"{task!r}, saved {to_iso(stored.at)}:", *_lines(stored.state)]
        return Plan(blocks=(Block(text="\n".join(lines)),), paged=True)
    graph = call.pending.graph(arguments.level)
    task = _stored(graph, task)
    if not arguments.state.strip():
        if task not in graph.progress:
            return _nothing(call, arguments.level, task)
        lines = [f"Forgot the state of {task!r}. It was:", *_lines(graph.progress[task].state)]
        changes = (Change(graph=graph.key, progress={task: None}),)
        return Plan(blocks=(Block(text="\n".join(lines)),), changes=changes, paged=True)
    size = len(arguments.state.encode("utf-8", "surrogatepass"))
    if size > PROGRESS_BYTES:
        raise KgError(
            Code.TOO_LARGE,
            f"The state has {size} bytes; at most {PROGRESS_BYTES} are kept. Save what is needed to go on.",
            {"size": size, "limit": PROGRESS_BYTES},
        )
    progress = Progress(state=as_object(arguments.state), at=call.now, by=call.by)
    before = graph.progress.get(task)
    is_others = before is not None and before.by != call.by
    replaced = f", in place of what another session saved {to_iso(before.at)}" if before and is_others else ""
    changes = (Change(graph=graph.key, progress={task: progress}),)
    lines = [f"Saved the state of {task!r}{replaced}.", *_elsewhere(call, graph, task)]
    return replace(said(*lines), changes=changes)


def _elsewhere(call: Call, graph: Graph, task: str) -> list[str]:
    """A remark where another level has a state of the task, too: who named no level may have meant that one."""
    others = [other for other in call.pending.searched() if other.key != graph.key]
    return [
        f"Note: this is level '{level_of(graph)}', and level '{level_of(other)}' has a state of it too."
        for other in others
        if _stored(other, task) in other.progress
    ]


def _nothing(call: Call, level: Level, task: str) -> Plan:
    """Says that a task has no state, and which ones have: who comes back may know the name no more."""
    graphs = call.durable.searched()
    saved = [(state.at, name, level_of(graph)) for graph in graphs for name, state in graph.progress.items()]
    newest = heapq.nlargest(_NAMED, saved)
    lines = [f"Nothing is saved for {task!r} on level '{level}'."]
    if newest:
        named = ", ".join(f"{one_line(name)!r} (level '{at_level}')" for _, name, at_level in newest)
        lines.append(f"{'Saved' if len(saved) <= _NAMED else 'Saved last'}: {named}.")
    return said(*lines)


def _stored(graph: Graph, task: str) -> str:
    """The name under which a task is kept that is spelled so or otherwise; else the name as it is."""
    if task in graph.progress:
        return task
    spelled = _spelled(task)
    return next((name for name in graph.progress if _spelled(name) == spelled), task)


def _spelled(task: str) -> str:
    return fold(task).replace("_", "-").replace(".", "-")


def _lines(state: Mapping[str, object]) -> list[str]:
    text = state.get(TEXT) if len(state) == 1 else None
    whole = text if isinstance(text, str) else json.dumps(dict(state), ensure_ascii=False, indent=2)
    return [f"  {one_line(line)}" for line in whole.splitlines()]
