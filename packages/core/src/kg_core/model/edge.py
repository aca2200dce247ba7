"""An edge: ``from --rel--> to``, and what its ends are."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model.times import Millis

USER_PREFIX = "user:"
SUPERSEDES = "supersedes"
DERIVED_FROM = "derived-from"
"""The relation from a conclusion to what it was concluded from: its evidence."""


class EndKind(StrEnum):
    """What an edge's end is."""

    NODE = "node"
    """A node of the same graph."""
    USER = "user"
    """A node of the user graph, written ``user:id``."""
    PATH = "path"
    """A file path: it contains ``/`` or ``~``."""


def end_kind(end: str) -> EndKind:
    """What ``end`` is, by its spelling alone."""
    if "/" in end or "~" in end:
        return EndKind.PATH
    return EndKind.USER if end.startswith(USER_PREFIX) else EndKind.NODE


class EdgeKey(NamedTuple):
    """What makes an edge itself: several relations between one pair are several edges."""

    source: str
    rel: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A named relationship with its reasons; ``extra`` holds unknown keys of the file as they were."""

    source: str
    rel: str
    target: str
    notes: tuple[str, ...] = ()
    created: Millis = 0
    by: str = ""
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def key(self) -> EdgeKey:
        """Its key."""
        return EdgeKey(self.source, self.rel, self.target)
