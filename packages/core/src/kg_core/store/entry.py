"""Writes, and the entries of the journal that they become."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model import Change, GraphKey, Millis, Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Changes that become durable together or not at all; they may span graphs.

    ``by`` names the context that writes, ``at`` when. ``maintenance`` says that it is no work of a lesson's author.
    """

    by: str
    at: Millis
    changes: tuple[Change, ...]
    maintenance: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A write in the journal. ``before`` holds the content version of each node it changed; ``None`` for a new one."""

    sequence: int
    at: Millis
    by: str
    changes: tuple[Change, ...]
    maintenance: bool = False
    before: Mapping[tuple[GraphKey, str], str | None] = field(default_factory=lambda: MappingProxyType({}))

    def is_news(self, graph: GraphKey, node: Node) -> bool:
        """Whether this write, which left ``node``, changed what it says. Cheap for a new node, which always does."""
        before = self.before.get((graph, node.id))
        return before is None or before != node.version
