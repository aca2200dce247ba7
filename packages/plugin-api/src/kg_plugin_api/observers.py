"""What an observer is told after a change is durable."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """One durable change of one graph: ids written and removed, who did it, and the journal sequence."""

    sequence: int
    graph: str
    by: str
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edges_changed: int = 0
