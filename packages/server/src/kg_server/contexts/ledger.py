"""What one context knows: an append-only value. Nothing in it comes true before a text has arrived."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from immutables import Map

from kg_core.render.block import Mark, MarkKind
from kg_server.contexts.covered import Covered, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kg_core.model import GraphKey, Millis, Node

    IsGone = Callable[[GraphKey, str], bool]
    """Tells whether a node, named by its graph and its id, is not there any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of one node: the content versions last shown as gist, read in full and preloaded, and when."""

    viewed: str = ""
    viewed_at: Millis = 0
    read: str = ""
    read_at: Millis = 0
    preloaded: str = ""
    warned: str = ""


_NOTHING = Known()
_OF_NO_NODE = frozenset({MarkKind.NOTICED, MarkKind.RULE, MarkKind.HELD, MarkKind.FILE})
"""The kinds of mark whose id names no node."""


def _learned(known: Known, mark: Mark, at: Millis) -> Known:
    match mark.kind:
        case MarkKind.WARNED:
            return replace(known, warned=mark.version)
        case MarkKind.READ:
            return replace(known, viewed=mark.version, viewed_at=at, read=mark.version, read_at=at)
        case MarkKind.PRELOADED:
            return replace(known, viewed=mark.version, viewed_at=at, preloaded=mark.version)
        case _:
            return replace(known, viewed=mark.version, viewed_at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Marks added up. ``apply`` is pure; applying a mark twice equals applying it once."""

    nodes: Map[tuple[GraphKey, str], Known] = field(default_factory=Map)
    pushed: Covered = field(default_factory=Covered)
    synced: int = 0
    preloaded: bool = False
    full: frozenset[GraphKey] = frozenset()
    """Levels that the model was given by themselves: by a full read, or before the context had another one."""
    noticed: frozenset[str] = frozenset()
    rules: frozenset[Mark] = frozenset()
    """Rules that were shown, and components whose first edit was held back."""
    files: Map[str, Millis] = field(default_factory=Map)
    """Digests of the files that brought lessons, and when they last did."""

    def apply(self, mark: Mark, at: Millis) -> Ledger:
        """This ledger with one more fact."""
        return self.apply_all((mark,), at)

    def apply_all(self, marks: Iterable[Mark], at: Millis) -> Ledger:
        """This ledger with several more facts, in order."""
        marks = tuple(marks)
        if not marks:
            return self
        ledger = self
        nodes = self.nodes.mutate()
        for mark in marks:
            if mark.id and mark.kind not in _OF_NO_NODE:
                nodes[mark.graph, mark.id] = _learned(nodes.get((mark.graph, mark.id), _NOTHING), mark, at)
            else:
                ledger = ledger._told(mark, at)
        return replace(ledger, nodes=nodes.finish())

    def _told(self, mark: Mark, at: Millis) -> Ledger:
        """This ledger with a fact that is about no node."""
        match mark.kind:
            case MarkKind.PUSHED:
                return replace(self, pushed=self.pushed.add(Span.parse(mark.version)))
            case MarkKind.SYNCED:
                return replace(self, synced=max(self.synced, int(mark.version)))
            case MarkKind.FULL:
                return replace(self, full=self.full | {mark.graph})
            case MarkKind.PRELOADED:
                return replace(self, preloaded=True)
            case MarkKind.NOTICED:
                return replace(self, noticed=self.noticed | {mark.id})
            case MarkKind.RULE | MarkKind.HELD:
                return replace(self, rules=self.rules | {mark})
            case MarkKind.FILE:
                return replace(self, files=self.files.set(mark.id, at))
            case _:
                return self

    @property
    def told_up_to(self) -> int:
        """The journal sequence up to which this context needs no entry any more."""
        return min(self.synced, self.pushed.floor)

    def reset(self) -> Ledger:
        """The ledger of a context whose text is gone: what was announced stays announced, all else is forgotten."""
        return Ledger(pushed=self.pushed, synced=self.synced)

    def widened(self, graphs: Iterable[GraphKey]) -> Ledger:
        """The ledger of a context that gets one more level than ``graphs``: if it was given those, only that is new."""
        return replace(self, preloaded=False, full=self.full.union(graphs)) if self.preloaded else self

    def without(self, is_gone: IsGone) -> Ledger:
        """This ledger without what it says of nodes that are gone: nobody asks for that again."""
        gone = [key for key in self.nodes if is_gone(*key)]
        if not gone:
            return self
        nodes = self.nodes.mutate()
        for key in gone:
            del nodes[key]
        return replace(self, nodes=nodes.finish())

    def of(self, graph: GraphKey, node_id: str) -> Known:
        """What is known of a node; nothing for an unknown one."""
        return self.nodes.get((graph, node_id), _NOTHING)

    def has_viewed(self, graph: GraphKey, node: Node) -> bool:
        """Whether the gist of this very version is in front of the model."""
        return self.of(graph, node.id).viewed == node.version

    def has_read(self, graph: GraphKey, node: Node) -> bool:
        """Whether this very version was shown in full."""
        return self.of(graph, node.id).read == node.version

    def was_preloaded(self, graph: GraphKey, node: Node) -> bool:
        """Whether the preload showed this very version."""
        return self.of(graph, node.id).preloaded == node.version

    def is_introduced_to(self, graphs: Iterable[GraphKey]) -> bool:
        """Whether the model has been given its memory: by the preload, or by a full read of every level."""
        return self.preloaded or self.full.issuperset(graphs)

    def marks(self) -> Iterator[tuple[Millis, Mark]]:
        """Marks that, applied in this order to an empty ledger, give this one."""
        for (graph, node_id), known in self.nodes.items():
            if known.preloaded:
                yield known.viewed_at, Mark(MarkKind.PRELOADED, graph, node_id, known.preloaded)
            if known.read:
                yield known.read_at, Mark(MarkKind.READ, graph, node_id, known.read)
            if known.viewed:
                yield known.viewed_at, Mark(MarkKind.SEEN, graph, node_id, known.viewed)
            if known.warned:
                yield 0, Mark(MarkKind.WARNED, graph, node_id, known.warned)
        for span in self.pushed.spans:
            yield 0, Mark(MarkKind.PUSHED, "", "", str(span))
        if self.synced:
            yield 0, Mark(MarkKind.SYNCED, "", "", str(self.synced))
        if self.preloaded:
            yield 0, Mark(MarkKind.PRELOADED, "")
        for graph in sorted(self.full):
            yield 0, Mark(MarkKind.FULL, graph)
        for name in sorted(self.noticed):
            yield 0, Mark(MarkKind.NOTICED, "", name)
        for mark in sorted(self.rules):
            yield 0, mark
        for digest, at in sorted(self.files.items()):
            yield at, Mark(MarkKind.FILE, "", digest)
