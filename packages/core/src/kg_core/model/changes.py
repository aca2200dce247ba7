"""Changes as JSON records, as the journal keeps them, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from kg_core.model.codec import (
    Record,
    edge_record,
    node_record,
    progress_record,
    read_edge,
    read_node,
    read_progress,
    read_tombstone,
    read_use,
    tombstone_record,
    use_record,
)
from kg_core.model.edge import Edge, EdgeKey
from kg_core.model.graph import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Value = TypeVar("_Value")


def change_record(change: Change) -> Record:
    """The record of a change, as the journal keeps it: a removed value is ``null``, removed edges are a list apart."""
    record: Record = {"graph": change.graph}
    for name, records in (
        ("nodes", _encoded(change.nodes, node_record)),
        ("use", _encoded(change.use, use_record)),
        ("tombstones", _encoded(change.tombstones, tombstone_record)),
        ("progress", _encoded(change.progress, progress_record)),
    ):
        if records:
            record[name] = records
    edges = [edge_record(edge) for edge in change.edges.values() if edge is not None]
    if edges:
        record["edges"] = edges
    removed = [list(key) for key, edge in change.edges.items() if edge is None]
    if removed:
        record["edges_removed"] = removed
    if change.renamed:
        record["renamed"] = dict(change.renamed)
    return record


def read_change(record: Mapping[str, Any]) -> Change:
    """The change that ``record`` describes. Raises KeyError, TypeError or ValueError on what is no such record."""
    edges: dict[EdgeKey, Edge | None] = {EdgeKey(*key): None for key in record.get("edges_removed", ())}
    for item in record.get("edges", ()):
        edge = read_edge(item)
        if edge is None:
            raise ValueError("an edge without ends")
        edges[edge.key] = edge
    nodes = record.get("nodes", {})
    return Change(
        graph=record["graph"],
        nodes={key: None if value is None else read_node(key, value) for key, value in nodes.items()},
        use=_decoded(record.get("use", {}), read_use),
        edges=edges,
        tombstones=_decoded(record.get("tombstones", {}), read_tombstone),
        progress=_decoded(record.get("progress", {}), read_progress),
        renamed=record.get("renamed", {}),
    )


def _encoded(values: Mapping[str, _Value | None], encode: Callable[[_Value], Record]) -> dict[str, Record | None]:
    return {key: None if value is None else encode(value) for key, value in values.items()}


def _decoded(
    records: Mapping[str, Mapping[str, object] | None], decode: Callable[[Mapping[str, object]], _Value]
) -> dict[str, _Value | None]:
    return {key: None if record is None else decode(record) for key, record in records.items()}
