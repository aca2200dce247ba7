"""Graph files as values, read in short steps. Reading never fails on content: it says what was wrong with it."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from immutables import Map

from kg_core.model import Change, EndKind, Graph, GraphKey, end_kind
from kg_core.model.codec import read_edge, read_node, read_progress, read_tombstone, read_use
from kg_core.model.merge import Part, merge_part, set_aside
from kg_core.model.odd import MOST_ODD, is_odd
from kg_core.store.layout import FORMAT
from kg_core.store.slices import batches, in_slices
from kg_core.store.walk import OPENED, Damage, Member, Section, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.model import Edge, EdgeKey, Node, Progress, Tombstone, Use
    from kg_core.model.odd import OddKey

_BATCH: Final = 200
_SHOWN: Final = 60
"""Characters of a record that has no name."""
_NO_NODES: Final = "it says nothing of nodes, where an empty list would say that all of them are deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a file says. ``damage`` is a sentence, empty when all of the file could be read.

    ``odd`` are nodes and edges with a field that says nothing, not all of them when there are very many. ``aside`` are
    nodes with a version that a merge set aside.
    """

    graph: Graph
    damage: str = ""
    odd: frozenset[OddKey] = frozenset()
    aside: frozenset[str] = frozenset()
    format: int = FORMAT

    @property
    def is_newer(self) -> bool:
        """Whether a later version of this program wrote it."""
        return self.format > FORMAT


async def read_graph(key: GraphKey, data: bytes, known: Graph | None = None) -> Reading:
    """The content that ``data`` describes. Of a file with conflict markers, both sides.

    Values that equal those of ``known`` are those of ``known``: nothing is held twice. A file without any list of nodes
    is damaged when ``known`` has some: that is not how nodes are deleted.
    """
    known = known or Graph(key=key)
    reading = await _read(known, data)
    if not reading.damage:
        return reading
    sides = conflict_sides(data)
    if sides is None:
        return reading
    ours, theirs = [await _read(known, side) for side in sides]
    graph, aside = ours.graph, {*ours.aside, *theirs.aside}
    async for part in in_slices(parts(Graph(key=key), theirs.graph)):
        change, in_conflict = merge_part(Graph(key=key), graph, theirs.graph, part)
        graph = graph.apply(change)
        aside.update(in_conflict)
    also = ours.damage or theirs.damage
    damage = "it holds conflict markers of a merge; both sides were kept" + (f", but {also}" if also else "")
    format = max(ours.format, theirs.format)
    return Reading(graph=graph, damage=damage, odd=ours.odd | theirs.odd, aside=frozenset(aside), format=format)


async def read_uses(data: bytes) -> tuple[dict[str, Use], str]:
    """The use of nodes that ``data`` describes, and what was wrong with it."""
    uses: dict[str, Use] = {}
    damage = ""
    async for item in in_slices(walk(data, "use")):
        if isinstance(item, Damage):
            damage = damage or _where(item)
        elif isinstance(item, Member) and item.section == "use" and isinstance(item.value, dict):
            uses[item.name] = read_use(item.value)
    return uses, damage


def parts(base: Graph, theirs: Graph) -> Iterator[Part]:
    """Where ``theirs`` differs from ``base``, in parts that are found and merged in one short step each."""
    for name in ("nodes", "tombstones"):
        yield from (Part(ids=keys) for keys in _changed(getattr(base, name), getattr(theirs, name)))
    yield from (Part(edges=keys) for keys in _changed(base.edges, theirs.edges))
    yield from (Part(tasks=keys) for keys in _changed(base.progress, theirs.progress))


def _changed(before: Map[Any, Any], after: Map[Any, Any]) -> Iterator[tuple[Any, ...]]:
    for items in batches(after.items(), _BATCH):
        yield tuple(key for key, value in items if before.get(key) != value)
    for keys in batches(before, _BATCH):
        yield tuple(key for key in keys if key not in after)


def conflict_sides(data: bytes) -> tuple[bytes, bytes] | None:
    """The two files that a merge left in one, or ``None`` when there are no conflict markers."""
    data = b"\n" + data
    ours: list[bytes] = []
    theirs: list[bytes] = []
    at = 0
    while (start := data.find(b"\n<<<<<<<", at)) >= 0:
        middle = data.find(b"\n=======", start + 1)
        end = data.find(b"\n>>>>>>>", middle + 1)
        if middle < 0 or end < 0:
            break
        ancestor = data.find(b"\n|||||||", start + 1, middle)
        common = data[at:start]
        ours += (common, data[_line_end(data, start + 1) : middle if ancestor < 0 else ancestor])
        theirs += (common, data[_line_end(data, middle + 1) : end])
        at = _line_end(data, end + 1)
    if at == 0:
        return None
    return b"".join((*ours, data[at:])), b"".join((*theirs, data[at:]))


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _named(member: Member) -> str:
    """What tells a record from others: its name; in a list, where it has none, how it begins."""
    if member.name:
        return repr(member.name)
    text = json.dumps(member.value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _where(damage: Damage) -> str:
    return f"it cannot be read at character {damage.offset}"


async def _read(known: Graph, data: bytes) -> Reading:
    growing = _Growing(Graph(key=known.key), known)
    async for item in in_slices(walk(data)):
        growing.add(item)
    return growing.finish()


@dataclass(slots=True)
class _Growing:
    """A graph being read: records are collected and applied in batches."""

    graph: Graph
    known: Graph
    damage: str = ""
    lists_nodes: bool = False
    format: int = FORMAT
    extra: dict[str, object] = field(default_factory=dict)
    nodes: dict[str, Node | None] = field(default_factory=dict)
    edges: dict[EdgeKey, Edge | None] = field(default_factory=dict)
    tombstones: dict[str, Tombstone | None] = field(default_factory=dict)
    progress: dict[str, Progress | None] = field(default_factory=dict)
    odd: set[OddKey] = field(default_factory=set)
    aside: set[str] = field(default_factory=set)
    count: int = 0

    def add(self, item: Section | Member | Damage) -> None:
        if isinstance(item, Damage):
            self.damage = self.damage or _where(item)
        elif isinstance(item, Section):
            self.lists_nodes = self.lists_nodes or item.name == "nodes"
        elif not item.section:
            self._top(item.name, item.value)
        elif not self._record(item.section, item.name, item.value):
            self.damage = self.damage or f"{item.section} {_named(item)} is no record"
        self.count += 1
        if self.count % _BATCH == 0:
            self._apply()

    def finish(self) -> Reading:
        self._apply()
        if self.known.nodes and not self.lists_nodes:
            self.damage = self.damage or _NO_NODES
        graph = replace(self.graph, extra=Map(self.extra))
        odd, aside = frozenset(self.odd), frozenset(self.aside)
        return Reading(graph=graph, damage=self.damage, odd=odd, aside=aside, format=self.format)

    def _top(self, name: str, value: object) -> None:
        if name == "format":
            self.format = value if isinstance(value, int) else FORMAT
        elif name in OPENED:
            self.damage = self.damage or (f"{name!r} holds no records" if value is not None else "")
        else:
            self.extra[name] = value

    def _record(self, section: str, name: str, value: object) -> bool:
        """Takes a record in; false when it is none."""
        if section == "nodes" and isinstance(value, str):
            value = {"gist": value}
        if not isinstance(value, dict) or (section == "nodes" and not name):
            return False
        match section:
            case "nodes":
                self._node(read_node(_nfc(name), value))
            case "edges":
                edge = read_edge(value)
                if edge is None:
                    return False
                edge = replace(edge, source=_end(edge.source), target=_end(edge.target))
                same = self.known.edges.get(edge.key)
                self.edges[edge.key] = same if same is not None and same == edge else edge
                self._look(edge.key, edge)
            case "tombstones":
                self.tombstones[_nfc(name)] = read_tombstone(value)
            case "progress":
                self.progress[name] = read_progress(value)
            case _:
                self.extra.setdefault(section, {})
                kept = self.extra[section]
                if isinstance(kept, dict):
                    kept[name] = value
        return True

    def _node(self, node: Node) -> None:
        """A second record of one id is kept beside the first, as what a merge sets aside."""
        same = self.known.nodes.get(node.id)
        node = same if same is not None and same == node else node
        first = self.nodes.get(node.id) or self.graph.nodes.get(node.id)
        kept = node if first is None or first == node else set_aside(first, node)
        self.nodes[node.id] = kept
        self._look(node.id, node)
        if kept.conflicts:
            self.aside.add(node.id)

    def _look(self, key: OddKey, value: Node | Edge) -> None:
        if is_odd(value) and len(self.odd) < MOST_ODD:
            self.odd.add(key)

    def _apply(self) -> None:
        self.graph = self.graph.apply(
            Change(
                graph=self.graph.key,
                nodes=self.nodes,
                edges=self.edges,
                tombstones=self.tombstones,
                progress=self.progress,
            )
        )
        self.nodes, self.edges, self.tombstones, self.progress = {}, {}, {}, {}


def _nfc(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _end(end: str) -> str:
    return end if end_kind(end) is EndKind.PATH else _nfc(end)
