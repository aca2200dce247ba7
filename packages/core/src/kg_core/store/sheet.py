"""A graph's files as bytes: each record is encoded once, when it changes, and joined when the file is written."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kg_core.model.codec import edge_record, node_record, progress_record, tombstone_record, use_record
from kg_core.store.layout import FORMAT, item, member
from kg_core.store.slices import batches, in_slices, sorted_in_slices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kg_core.model import Change, Edge, Graph

_BATCH = 200


@dataclass(slots=True)
class Touched:
    """What has changed since the records were last encoded."""

    nodes: set[Any] = field(default_factory=set)
    edges: set[Any] = field(default_factory=set)
    tombstones: set[Any] = field(default_factory=set)
    progress: set[Any] = field(default_factory=set)
    use: set[Any] = field(default_factory=set)

    def add(self, change: Change) -> None:
        """Notes what ``change`` touches."""
        self.nodes.update(change.nodes)
        self.edges.update(change.edges)
        self.tombstones.update(change.tombstones)
        self.progress.update(change.progress)
        self.use.update(change.use)


class Sheet:
    """The encoded records of one graph. Updated and joined in short steps; never by two tasks at once."""

    def __init__(self) -> None:
        self._sections = {name: _Section() for name in ("nodes", "edges", "tombstones", "progress", "use")}

    @classmethod
    async def of(cls, graph: Graph) -> Sheet:
        """The sheet of a whole graph."""
        sheet = cls()
        for name, section in sheet._sections.items():
            values = getattr(graph, name)
            section.keys = await sorted_in_slices(values)
            async for key in in_slices(section.keys):
                section.lines[key] = _line(name, key, values[key])
        return sheet

    async def update(self, graph: Graph, touched: Touched) -> None:
        """Makes this the sheet of ``graph``, which differs in what was touched."""
        for name, section in self._sections.items():
            values = getattr(graph, name)
            async for key in in_slices(getattr(touched, name)):
                value = values.get(key)
                if value is None:
                    section.drop(key)
                else:
                    section.set(key, _line(name, key, value))

    async def content(self, extra: Mapping[str, object]) -> list[bytes]:
        """The content file, in pieces; ``extra`` are the unknown keys it had."""
        chunks = [b'{\n  "format": %d' % FORMAT]
        for name in ("nodes", "edges", "tombstones", "progress"):
            section = self._sections[name]
            if section.keys or name in {"nodes", "edges"}:
                chunks.append(b",\n")
                chunks += [chunk async for chunk in in_slices(section.pieces(name))]
        chunks += [b",\n" + member(name, extra[name], 1) for name in sorted(extra)]
        chunks.append(b"\n}\n")
        return chunks

    async def use(self) -> list[bytes]:
        """The file of use, in pieces."""
        chunks = [b'{\n  "format": %d,\n' % FORMAT]
        chunks += [chunk async for chunk in in_slices(self._sections["use"].pieces("use"))]
        chunks.append(b"\n}\n")
        return chunks


@dataclass(slots=True)
class _Section:
    """Records of one kind: their keys in order, and the encoded record of each."""

    keys: list[Any] = field(default_factory=list)
    lines: dict[Any, bytes] = field(default_factory=dict)

    def set(self, key: Any, line: bytes) -> None:
        if key not in self.lines:
            insort(self.keys, key)
        self.lines[key] = line

    def drop(self, key: Any) -> None:
        if self.lines.pop(key, None) is not None:
            del self.keys[bisect_left(self.keys, key)]

    def pieces(self, name: str) -> Iterator[bytes]:
        opening, closing = (b"[", b"]") if name == "edges" else (b"{", b"}")
        yield b'  "%s": %s' % (name.encode("ascii"), opening)
        if not self.keys:
            yield closing
            return
        separator = b"\n"
        for keys in batches(self.keys, _BATCH):
            yield separator + b",\n".join([self.lines[key] for key in keys])
            separator = b",\n"
        yield b"\n  " + closing


def _line(section: str, key: Any, value: Any) -> bytes:
    match section:
        case "nodes":
            return member(key, node_record(value), 2)
        case "edges":
            return _edge_line(value)
        case "tombstones":
            return member(key, tombstone_record(value), 2)
        case "progress":
            return member(key, progress_record(value), 2)
        case _:
            return member(key, use_record(value), 2)


def _edge_line(edge: Edge) -> bytes:
    return item(edge_record(edge), 2)
