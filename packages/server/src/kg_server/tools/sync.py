"""kg_sync: everything that others changed since this context last looked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kg_core.model.steps import SLICE, at_once
from kg_core.policy.ageing import has_aged
from kg_core.render import Block, Mark, MarkKind, node_line, one_line, standing
from kg_server.texts.titles import level_title
from kg_server.tools.arguments import Arguments
from kg_server.tools.plan import Call, Plan, said

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.model import Change, EdgeKey, Graph
    from kg_core.model.steps import Steps
    from kg_core.store import Entry


_MOST: Final = 1_000
"""Changes that are all listed. More than that is another memory: reading it costs less than reading the difference."""
_ROOM: Final = 10_000
"""Characters for what is told of more changes."""
_KINDS: Final = ("lessons", "renames", "deletions", "edges")
_BY_WORTH: Final = ("renames", "deletions", "lessons", "edges")
"""What a full read does not show comes first."""


class Sync(Arguments):
    """Arguments of kg_sync."""


@dataclass(slots=True)
class _Diff:
    """What others did to one graph, in the order of the journal."""

    written: dict[str, None] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)
    edges: dict[EdgeKey, None] = field(default_factory=dict)
    _origins: dict[str, str] = field(default_factory=dict)
    """The first id of what is called by its last one."""

    def follow(self, renamed: Iterable[tuple[str, str]]) -> None:
        """Renames by whomever: what was written keeps being listed, under its id of now."""
        for old, new in renamed:
            if old in self.written:
                self.written.pop(old)
                self.written[new] = None

    def add(self, entry: Entry, change: Change) -> Steps[None]:
        """One change by another context, in small steps."""
        moved = set(change.renamed) | set(change.renamed.values())
        for old, new in change.renamed.items():
            origin = self._origins.pop(old, old)
            self.renamed[origin] = new
            self._origins[new] = origin
        for number, (node_id, node) in enumerate(change.nodes.items(), start=1):
            if number % SLICE == 0:
                yield
            if node_id in moved:
                continue
            if node is None:
                self.deleted[node_id] = None
                origin = self._origins.pop(node_id, node_id)
                self.deleted[origin] = None  # the reader may know it by that name alone
                self.renamed.pop(origin, None)
            elif entry.is_news(change.graph, node):
                self.written[node_id] = None
                self.deleted.pop(node_id, None)
        if not change.renamed:
            gone = {node_id for node_id, node in change.nodes.items() if node is None}
            self.edges.update(dict.fromkeys(key for key in change.edges if not {key.source, key.target} & gone))
            yield


def plan(arguments: Sync, call: Call) -> Plan:
    """Lists written, renamed and deleted nodes and changed edges, by level. A long list comes in parts, and counts as
    told with the last of them. Of very many changes those are listed that a full read does not show, then the newest
    lessons, as far as there is room, and the rest is counted.
    """
    return at_once(steps(arguments, call))


def steps(arguments: Sync, call: Call) -> Steps[Plan]:
    """:func:`plan` in small steps."""
    del arguments
    synced = Mark(MarkKind.SYNCED, "", "", str(call.sequence))
    if call.entries is None:
        text = "More has changed since than is kept in order: call kg_read again, it shows the memory as it is now."
        return Plan(blocks=(Block(text=text),), marks=(synced,))
    diffs: list[tuple[Graph, _Diff]] = []
    for graph in call.durable.searched():
        diff = yield from _diff(graph, call)
        diffs.append((graph, diff))
    blocks = yield from _listed(diffs)
    if not blocks:
        return Plan(blocks=said("Nothing was changed by others.").blocks, marks=(synced,))
    return Plan(blocks=tuple(blocks), marks=(synced,), paged=True)


def _diff(graph: Graph, call: Call) -> Steps[_Diff]:
    """The changes of others to a graph."""
    diff = _Diff()
    for number, entry in enumerate(call.entries or (), start=1):
        if number % SLICE == 0:
            yield
        for change in entry.changes:
            if change.graph == graph.key:
                diff.follow(change.renamed.items())
                if entry.by != call.by:
                    yield from diff.add(entry, change)
    return diff


def _listed(diffs: list[tuple[Graph, _Diff]]) -> Steps[list[Block]]:
    """All changes that can still be seen; of very many the most telling ones, and how many others there are."""
    found = [_seen(graph, diff) for graph, diff in diffs]
    yield
    count = sum(len(items) for kinds in found for items in kinds.values())
    is_long = count > _MOST
    room = _ROOM if is_long else math.inf
    lines: list[dict[str, list[Block]]] = [{kind: [] for kind in _KINDS} for _ in diffs]
    for kind in _BY_WORTH:
        for (graph, _), items, told in zip(diffs, found, lines, strict=True):
            for number, item in enumerate(items[kind][::-1] if is_long else items[kind], start=1):
                if number % SLICE == 0:
                    yield
                block = _block(graph, kind, item)
                room -= len(block.text) + 1
                if room < 0:
                    break
                told[kind].append(block)
    blocks: list[Block] = []
    for (graph, _), told in zip(diffs, lines, strict=True):
        section = [block for kind in _KINDS for block in told[kind]]
        blocks += [Block(text=f"{level_title(graph)}, changed by others:"), *section] if section else []
    if not is_long:
        return blocks
    rest = [
        f"{missing:,} {kind}"
        for kind in _KINDS
        if (missing := sum(len(items[kind]) - len(told[kind]) for items, told in zip(found, lines, strict=True)))
    ]
    opening = (
        f"Others made {count:,} changes: call kg_read again, it shows the memory as it is now. The last ones first:"
    )
    return [Block(text=opening), *blocks, *([Block(text=f"Not listed: {', '.join(rest)}.")] if rest else [])]


def _seen(graph: Graph, diff: _Diff) -> dict[str, list[Any]]:
    """The changes by their kind, without those that later ones have undone. That a lesson has aged is no news."""
    return {
        "lessons": [node_id for node_id in diff.written if node_id in graph.nodes],
        "renames": [(old, new) for old, new in diff.renamed.items() if new in graph.nodes],
        "deletions": [
            node_id for node_id in diff.deleted if node_id not in graph.nodes and not has_aged(graph, node_id)
        ],
        "edges": list(diff.edges),
    }


def _block(graph: Graph, kind: str, item: Any) -> Block:
    match kind:
        case "lessons":
            node = graph.nodes[item]
            mark = Mark(MarkKind.SEEN, graph.key, item, node.version)
            return Block(text=node_line(node, standing(graph, item)), marks=(mark,))
        case "renames":
            old, new = item
            return Block(text=f"  renamed: {one_line(old)} → {one_line(new)}")
        case "deletions":
            return Block(text=f"  deleted: {one_line(item)}")
        case _:
            sign = "edge" if item in graph.edges else "edge deleted"
            return Block(text=f"  {sign}: {one_line(item.source)} --{one_line(item.rel)}--> {one_line(item.target)}")
