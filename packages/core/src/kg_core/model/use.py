"""How a node is used: kept apart from its content, merged by union and maximum."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model.times import Millis


class Tier(StrEnum):
    """Active: the gist is visible. Archived: the id is. Orphaned: only search and reads by id reach it."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    ORPHANED = "orphaned"


class StampKind(StrEnum):
    """Where a usefulness stamp comes from."""

    ENDORSEMENT = "endorsement"
    NOTE = "note"
    RECURRENCE = "recurrence"
    MAINTENANCE = "maintenance"


@dataclass(frozen=True, slots=True, order=True)
class Stamp:
    """One vote for a node: when, of which kind, and by which context."""

    at: Millis
    kind: StampKind
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Use of one node. ``inbound`` counts, per project slug, the project edges that end in this user node."""

    tier: Tier = Tier.ACTIVE
    orphaned_at: Millis = 0
    activity_at: Millis = 0
    read_at: Millis = 0
    stamps: tuple[Stamp, ...] = ()
    credited: tuple[Millis, ...] = ()
    recurrence: tuple[str, ...] = ()
    gist_changes: tuple[Millis, ...] = ()
    inbound: tuple[tuple[str, int], ...] = ()
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


UNUSED = Use()
"""The use of a node that nothing is known of."""
