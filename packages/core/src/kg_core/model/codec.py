"""Values of the model as JSON records, and back.

Reading is lenient: it never fails on an odd field. A field of the wrong type, or one this version does not know, is
kept as it was in ``extra`` and written again; a field of the right type replaces it. Writing is canonical: a fixed
order of fields, defaults left out, unknown keys last and sorted. So ``read(write(value)) == value``.
"""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError

from kg_core.model.edge import Edge
from kg_core.model.graph import Progress, Tombstone
from kg_core.model.node import Kind, Node, Status, Written
from kg_core.model.times import from_iso, to_iso
from kg_core.model.use import Stamp, StampKind, Tier, Use

if TYPE_CHECKING:
    from collections.abc import Mapping

Record = dict[str, object]
"""A JSON object."""

_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


def _time(value: object) -> int:
    if not isinstance(value, str):
        raise ValueError("a time is a text")  # pydantic takes a ValueError for a refusal
    at = from_iso(value)
    if at == 0 and value:
        raise ValueError("not a time")
    return at


def _one_or_many(value: object) -> object:
    return (value,) if isinstance(value, str) else value


_Time = Annotated[int, PlainValidator(_time)]
_Texts = Annotated[tuple[str, ...], BeforeValidator(_one_or_many)]
_Name = Annotated[str, AfterValidator(sys.intern)]
"""An id, a relation or a context: it stands in many records, and is kept once. That is a sixth of a loaded graph."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="allow")


class _WrittenRecord(_Record):
    at: _Time = 0
    by: _Name = ""
    author: _Name = ""


class _NodeRecord(_Record):
    gist: str = ""
    notes: _Texts = ()
    touches: _Texts = ()
    tags: _Texts = ()
    status: Status = Status.CURRENT
    kind: Kind = Kind.STATED
    observer: str = ""
    observed: str = ""
    locked: bool = False
    created: _Time = 0
    written: _WrittenRecord | None = None
    conflicts: tuple[dict[str, Any], ...] = ()


class _EdgeRecord(_Record):
    source: _Name = Field(alias="from")
    rel: _Name
    target: _Name = Field(alias="to")
    notes: _Texts = ()
    created: _Time = 0
    by: _Name = ""


class _StampRecord(BaseModel):
    model_config = ConfigDict(extra="forbid")
    at: _Time
    kind: StampKind
    by: str = ""


class _UseRecord(_Record):
    tier: Tier = Tier.ACTIVE
    orphaned_at: _Time = 0
    activity_at: _Time = 0
    read_at: _Time = 0
    stamps: tuple[_StampRecord, ...] = ()
    credited: tuple[_Time, ...] = ()
    recurrence: _Texts = ()
    gist_changes: tuple[_Time, ...] = ()
    inbound: dict[str, int] = Field(default_factory=dict)


class _TombstoneRecord(_Record):
    at: _Time = 0
    by: str = ""


class _ProgressRecord(_Record):
    state: dict[str, Any] = Field(default_factory=dict)
    at: _Time = 0
    by: str = ""


_Model = TypeVar("_Model", bound=_Record)


def _parse(model: type[_Model], record: Mapping[str, object]) -> tuple[_Model, Mapping[str, object]]:
    """The usable fields, and all the rest as it was. Raises ValidationError when a required field is unusable."""
    odd: Mapping[str, object] = _NOTHING
    try:
        parsed = model.model_validate(record)
    except ValidationError:
        odd = _unusable(model, record)
        parsed = model.model_validate({name: value for name, value in record.items() if name not in odd})
    unknown = parsed.model_extra
    if not unknown and not odd:
        return parsed, _NOTHING
    return parsed, MappingProxyType({**(unknown or {}), **odd})


def _unusable(model: type[_Model], record: Mapping[str, object]) -> dict[str, object]:
    """What of a record that does not fit keeps it from fitting."""
    odd = {name: value for name, value in record.items() if _is_torn(name)}
    try:
        model.model_validate({name: value for name, value in record.items() if name not in odd})
    except ValidationError as error:
        names = {str(problem["loc"][0]) for problem in error.errors()}
        odd |= {name: record[name] for name in names if name in record}
    return odd


def _is_torn(name: str) -> bool:
    """Whether there is half of a surrogate pair in it: JSON can say it, a model has no place for it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return True
    return False


def _with_extra(record: Record, extra: Mapping[str, object]) -> Record:
    """Adds what was not understood; an odd value of a known field stays until the field gets a usable one."""
    for name in sorted(extra):
        if not record.get(name):
            record[name] = extra[name]
    return record


def node_record(node: Node) -> Record:
    """The record of a node; its id is the key under which the record is stored."""
    record: Record = {"gist": node.gist}
    if node.notes:
        record["notes"] = list(node.notes)
    if node.touches:
        record["touches"] = list(node.touches)
    if node.tags:
        record["tags"] = list(node.tags)
    if node.status is not Status.CURRENT:
        record["status"] = node.status.value
    if node.kind is not Kind.STATED:
        record["kind"] = node.kind.value
    if node.observer:
        record["observer"] = node.observer
    if node.observed:
        record["observed"] = node.observed
    if node.locked:
        record["locked"] = True
    if node.created:
        record["created"] = to_iso(node.created)
    if node.written is not None:
        written: Record = {"at": to_iso(node.written.at), "by": node.written.by, "author": node.written.author}
        record["written"] = _with_extra(written, node.written.extra)
    if node.conflicts:
        record["conflicts"] = [dict(conflict) for conflict in node.conflicts]
    return _with_extra(record, node.extra)


def read_node(node_id: str, record: Mapping[str, object]) -> Node:
    """The node that ``record`` describes; never fails."""
    parsed, extra = _parse(_NodeRecord, record)
    written = None
    if parsed.written is not None:
        unknown = parsed.written.model_extra
        written = Written(
            at=parsed.written.at,
            by=parsed.written.by,
            author=parsed.written.author,
            extra=MappingProxyType(unknown) if unknown else _NOTHING,
        )
    return Node(
        id=sys.intern(node_id),
        gist=parsed.gist,
        notes=parsed.notes,
        touches=parsed.touches,
        tags=parsed.tags,
        status=parsed.status,
        kind=parsed.kind,
        observer=parsed.observer,
        observed=parsed.observed,
        locked=parsed.locked,
        created=parsed.created,
        written=written,
        conflicts=parsed.conflicts,
        extra=extra,
    )


def edge_record(edge: Edge) -> Record:
    """The record of an edge."""
    record: Record = {"from": edge.source, "rel": edge.rel, "to": edge.target}
    if edge.notes:
        record["notes"] = list(edge.notes)
    if edge.created:
        record["created"] = to_iso(edge.created)
    if edge.by:
        record["by"] = edge.by
    return _with_extra(record, edge.extra)


def read_edge(record: Mapping[str, object]) -> Edge | None:
    """The edge that ``record`` describes; ``None`` when it does not say from where, to where or how."""
    try:
        parsed, extra = _parse(_EdgeRecord, record)
    except ValidationError:
        return None
    return Edge(
        source=parsed.source,
        rel=parsed.rel,
        target=parsed.target,
        notes=parsed.notes,
        created=parsed.created,
        by=parsed.by,
        extra=extra,
    )


def use_record(use: Use) -> Record:
    """The record of a node's use; empty when nothing is known of it."""
    record: Record = {}
    if use.tier is not Tier.ACTIVE:
        record["tier"] = use.tier.value
    for name, at in (("orphaned_at", use.orphaned_at), ("activity_at", use.activity_at), ("read_at", use.read_at)):
        if at:
            record[name] = to_iso(at)
    if use.stamps:
        record["stamps"] = [_stamp_record(stamp) for stamp in use.stamps]
    if use.credited:
        record["credited"] = [to_iso(at) for at in use.credited]
    if use.recurrence:
        record["recurrence"] = list(use.recurrence)
    if use.gist_changes:
        record["gist_changes"] = [to_iso(at) for at in use.gist_changes]
    if use.inbound:
        record["inbound"] = dict(use.inbound)
    return _with_extra(record, use.extra)


def read_use(record: Mapping[str, object]) -> Use:
    """The use that ``record`` describes; never fails."""
    parsed, extra = _parse(_UseRecord, record)
    return Use(
        tier=parsed.tier,
        orphaned_at=parsed.orphaned_at,
        activity_at=parsed.activity_at,
        read_at=parsed.read_at,
        stamps=tuple(Stamp(stamp.at, stamp.kind, stamp.by) for stamp in parsed.stamps),
        credited=parsed.credited,
        recurrence=parsed.recurrence,
        gist_changes=parsed.gist_changes,
        inbound=tuple(parsed.inbound.items()),
        extra=extra,
    )


def _stamp_record(stamp: Stamp) -> Record:
    record: Record = {"at": to_iso(stamp.at), "kind": stamp.kind.value}
    if stamp.by:
        record["by"] = stamp.by
    return record


def tombstone_record(tombstone: Tombstone) -> Record:
    """The record of a tombstone."""
    return _with_extra({"at": to_iso(tombstone.at), "by": tombstone.by}, tombstone.extra)


def read_tombstone(record: Mapping[str, object]) -> Tombstone:
    """The tombstone that ``record`` describes; never fails."""
    parsed, extra = _parse(_TombstoneRecord, record)
    return Tombstone(at=parsed.at, by=parsed.by, extra=extra)


def progress_record(progress: Progress) -> Record:
    """The record of a task's progress."""
    record: Record = {"state": dict(progress.state), "at": to_iso(progress.at), "by": progress.by}
    return _with_extra(record, progress.extra)


def read_progress(record: Mapping[str, object]) -> Progress:
    """The progress that ``record`` describes; never fails."""
    parsed, extra = _parse(_ProgressRecord, record)
    return Progress(state=parsed.state, at=parsed.at, by=parsed.by, extra=extra)
