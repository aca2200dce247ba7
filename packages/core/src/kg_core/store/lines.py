"""Lines of the journal: one JSON object each, with a checksum of all that follows it on the line.

``{"sum":"0a1b2c3d","batch":7,"entry":{...}}``. ``batch`` is the first sequence of the lines that were synced together:
a line behind damage that belongs to the batch of the damaged one was never acknowledged.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from kg_core.model.changes import change_record, read_change
from kg_core.model.codec import use_record
from kg_core.store.entry import Entry
from kg_core.store.layout import compact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kg_core.model import GraphKey, Use

FORMAT: Final = 1
_NO_CHANGES: Final = b'"changes":[]'
_PREFIX: Final = len('{"sum":"01234567",')


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotMark:
    """A graph file that holds everything up to ``sequence``; ``content`` is its SHA-256, empty when there is no file.

    Written first with ``done`` false, before the file takes its place, and again when it has: so at any moment the
    journal knows every content that the file may have through us.
    """

    graph: GraphKey
    sequence: int
    content: str
    done: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a segment: its first sequence, and all files the journal knows at that point.

    ``salvaged`` says that lines are missing, which was reported when it was found.
    """

    first: int
    marks: tuple[SnapshotMark, ...] = ()
    salvaged: bool = False
    format: int = FORMAT


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sound line, and the bytes it was read from."""

    batch: int
    value: Header | SnapshotMark | Entry
    data: bytes = field(repr=False)


def body(value: Header | SnapshotMark | Entry) -> bytes:
    """What :func:`frame` puts on a line."""
    match value:
        case Entry():
            return compact({"entry": _entry_record(value)})
        case SnapshotMark():
            return compact({"snapshot": _mark_record(value)})
        case Header():
            record: dict[str, object] = {"format": value.format, "first": value.first}
            record["snapshots"] = [_mark_record(mark) for mark in value.marks]
            if value.salvaged:
                record["salvaged"] = True
            return compact({"segment": record})


def members_of_use(use: Mapping[str, Use]) -> bytes:
    """A part of the change that :func:`body_of_use` puts together: what ``use`` says, without the braces."""
    return compact({node_id: use_record(value) for node_id, value in use.items()})[1:-1]


def body_of_use(entry: Entry, parts: Sequence[bytes]) -> bytes:
    """The same as :func:`body` for an entry that changes the use of nodes alone; ``parts`` were encoded before."""
    change = b'[{"graph":%s,"use":{%s}}]' % (compact(entry.changes[0].graph), b",".join(parts))
    return body(replace(entry, changes=())).replace(_NO_CHANGES, b'"changes":' + change, 1)


def frame(batch: int, content: bytes) -> bytes:
    """A whole line with its checksum and line break."""
    rest = b'"batch":%d,%s' % (batch, content[1:])
    return b'{"sum":"%08x",%s\n' % (zlib.crc32(rest), rest)


def parse(data: bytes) -> Iterator[Line | None]:
    """The lines of a segment in order; ``None`` for one that is damaged or torn."""
    for raw in data.split(b"\n"):
        if raw:
            yield _parse_line(raw)


def _parse_line(raw: bytes) -> Line | None:
    rest = raw[_PREFIX:]
    if raw[:_PREFIX] != b'{"sum":"%08x",' % zlib.crc32(rest):
        return None
    try:
        record = json.loads(b"{" + rest)
        return Line(batch=record["batch"], value=_value(record), data=raw + b"\n")
    except (ValueError, KeyError, TypeError):
        return None


def _value(record: Mapping[str, Any]) -> Header | SnapshotMark | Entry:
    if "entry" in record:
        return _read_entry(record["entry"])
    if "snapshot" in record:
        return _read_mark(record["snapshot"])
    segment = record["segment"]
    return Header(
        first=segment["first"],
        marks=tuple(_read_mark(mark) for mark in segment["snapshots"]),
        salvaged=segment.get("salvaged", False),
        format=segment["format"],
    )


def _mark_record(mark: SnapshotMark) -> dict[str, object]:
    return {"graph": mark.graph, "sequence": mark.sequence, "content": mark.content, "done": mark.done}


def _read_mark(record: Mapping[str, Any]) -> SnapshotMark:
    return SnapshotMark(
        graph=record["graph"], sequence=record["sequence"], content=record["content"], done=record["done"]
    )


def _entry_record(entry: Entry) -> dict[str, object]:
    record: dict[str, object] = {"sequence": entry.sequence, "at": entry.at, "by": entry.by}
    if entry.maintenance:
        record["maintenance"] = True
    record["changes"] = [change_record(change) for change in entry.changes]
    record["before"] = [[graph, node_id, version] for (graph, node_id), version in entry.before.items()]
    return record


def _read_entry(record: Mapping[str, Any]) -> Entry:
    return Entry(
        sequence=record["sequence"],
        at=record["at"],
        by=record["by"],
        maintenance=record.get("maintenance", False),
        changes=tuple(read_change(change) for change in record["changes"]),
        before={(graph, node_id): version for graph, node_id, version in record["before"]},
    )
