"""A node: one lesson. Values are frozen; ``version`` names the content."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model.times import Millis


class Status(StrEnum):
    """Whether a lesson holds. A ``supersedes`` edge makes its target superseded whatever is written here."""

    CURRENT = "current"
    PROPOSED = "proposed"
    RETRACTED = "retracted"
    SUPERSEDED = "superseded"


class Kind(StrEnum):
    """Whether somebody stated it or it was concluded from other nodes."""

    STATED = "stated"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The last change of content: when, by which context, and whose lesson it is (kept by maintenance)."""

    at: Millis
    by: str
    author: str
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, kw_only=True)
class Node:
    """Content of a node. ``extra`` holds unknown keys of the file, ``conflicts`` what a merge set aside."""

    id: str
    gist: str
    notes: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: Status = Status.CURRENT
    kind: Kind = Kind.STATED
    observer: str = ""
    observed: str = ""
    locked: bool = False
    created: Millis = 0
    written: Written | None = None
    conflicts: tuple[Mapping[str, object], ...] = ()
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def version(self) -> str:
        """SHA-256 of the canonical content without ``created``, ``written`` and ``conflicts``."""
        content = {
            "id": self.id,
            "gist": self.gist,
            "notes": self.notes,
            "touches": self.touches,
            "tags": self.tags,
            "status": self.status,
            "kind": self.kind,
            "observer": self.observer,
            "observed": self.observed,
            "locked": self.locked,
            "extra": dict(self.extra),
        }
        canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
