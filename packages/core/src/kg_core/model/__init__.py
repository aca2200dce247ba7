"""Values of memory: nodes, edges, use, graphs and changes. Pure; no I/O, no clock."""

from kg_core.model.edge import DERIVED_FROM, SUPERSEDES, USER_PREFIX, Edge, EdgeKey, EndKind, end_kind
from kg_core.model.graph import (
    AGEING,
    MAINTAIN,
    PROJECT_PREFIX,
    USER,
    Change,
    Graph,
    GraphKey,
    Progress,
    Tombstone,
    project_key,
)
from kg_core.model.node import Kind, Node, Status, Written
from kg_core.model.times import DAY, Millis, from_iso, to_iso
from kg_core.model.use import UNUSED, Stamp, StampKind, Tier, Use

__all__ = [
    "AGEING",
    "DAY",
    "DERIVED_FROM",
    "MAINTAIN",
    "PROJECT_PREFIX",
    "SUPERSEDES",
    "UNUSED",
    "USER",
    "USER_PREFIX",
    "Change",
    "Edge",
    "EdgeKey",
    "EndKind",
    "Graph",
    "GraphKey",
    "Kind",
    "Millis",
    "Node",
    "Progress",
    "Stamp",
    "StampKind",
    "Status",
    "Tier",
    "Tombstone",
    "Use",
    "Written",
    "end_kind",
    "from_iso",
    "project_key",
    "to_iso",
]
