"""kg_sync: everything that others changed since this context last looked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kg_core.model import SUPERSEDES, EdgeKey
from kg_core.render import Block, Mark, MarkKind, Rank, node_line, one_line, standing
from kg_server.tools.arguments import Arguments
from kg_server.tools.plan import Call, Plan, said
from kg_server.tools.showing import level_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.model import Change, Graph
    from kg_core.store import Entry


_MOST = 1_000
"""Changes that are listed. More than that is another memory: reading it costs less than reading what is different."""


class Sync(Arguments):
    """Arguments of kg_sync."""


@dataclass(slots=True)
class _Diff:
    """What others did to one graph, in the order of the journal."""

    written: dict[str, None] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)
    edges: dict[EdgeKey, None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.written) + len(self.renamed) + len(self.deleted) + len(self.edges)

    def follow(self, renamed: Iterable[tuple[str, str]]) -> None:
        """Renames by whomever: what was written keeps being listed, under its id of now."""
        for old, new in renamed:
            if old in self.written:
                self.written.pop(old)
                self.written[new] = None

    def add(self, entry: Entry, change: Change) -> None:
        """One change by another context."""
        moved = set(change.renamed) | set(change.renamed.values())
        for old, new in change.renamed.items():
            origin = next((first for first, last in self.renamed.items() if last == old), old)
            self.renamed[origin] = new
        for node_id, node in change.nodes.items():
            if node_id in moved:
                continue
            if node is None:
                self.deleted[node_id] = None
            elif entry.is_news(change.graph, node):
                self.written[node_id] = None
                self.deleted.pop(node_id, None)
        if not change.renamed:
            gone = {node_id for node_id, node in change.nodes.items() if node is None}
            self.edges.update(dict.fromkeys(key for key in change.edges if not {key.source, key.target} & gone))


def plan(arguments: Sync, call: Call) -> Plan:
    """Lists written, renamed and deleted nodes and changed edges, by level. A long list comes in parts, and counts as
    told with the last of them; a very long one is only counted.
    """
    del arguments
    synced = Mark(MarkKind.SYNCED, "", "", str(call.sequence))
    if call.entries is None:
        text = "More has changed since than is kept in order: call kg_read again, it shows the memory as it is now."
        return Plan(blocks=(Block(text=text),), marks=(synced,))
    diffs = [(graph, _diff(graph, call)) for graph in call.durable.searched()]
    if sum(len(diff) for _, diff in diffs) > _MOST:
        text = f"Others made more than {_MOST:,} changes: call kg_read again, it shows the memory as it is now."
        return Plan(blocks=(Block(text=text),), marks=(synced,))
    blocks = [block for graph, diff in diffs for block in _blocks(graph, diff)]
    if not blocks:
        return Plan(blocks=said("Nothing was changed by others.").blocks, marks=(synced,))
    return Plan(blocks=tuple(blocks), marks=(synced,), paged=True)


def _diff(graph: Graph, call: Call) -> _Diff:
    """The changes of others to a graph; where they are too many to be listed, only as far as that is certain."""
    diff = _Diff()
    for entry in call.entries or ():
        for change in entry.changes:
            if change.graph == graph.key:
                diff.follow(change.renamed.items())
                if entry.by != call.by:
                    diff.add(entry, change)
                    if len(diff) > _MOST:
                        return diff
    return diff


def _blocks(graph: Graph, diff: _Diff) -> list[Block]:
    lines: list[Block] = []
    for value, node_id in enumerate(diff.written):
        node = graph.nodes.get(node_id)
        if node is not None:
            mark = Mark(MarkKind.SEEN, graph.key, node_id, node.version)
            text = node_line(node, standing(graph, node_id))
            lines.append(Block(text=text, rank=Rank.GIST, value=float(value), marks=(mark,)))
    lines += [
        Block(text=f"  renamed: {one_line(old)} → {one_line(new)}")
        for old, new in diff.renamed.items()
        if new in graph.nodes
    ]
    lines += [Block(text=f"  deleted: {one_line(node_id)}") for node_id in diff.deleted if node_id not in graph.nodes]
    lines += [_edge(graph, key) for key in diff.edges]
    return [Block(text=f"{level_title(graph)}, changed by others:"), *lines] if lines else []


def _edge(graph: Graph, key: EdgeKey) -> Block:
    sign = "edge" if key in graph.edges else "edge deleted"
    text = f"  {sign}: {one_line(key.source)} --{one_line(key.rel)}--> {one_line(key.target)}"
    return Block(text=text, rank=Rank.EDGE, value=1.0 if key.rel == SUPERSEDES else 0.5)
