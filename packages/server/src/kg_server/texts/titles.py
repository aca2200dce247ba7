"""How a level is called above its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import MAINTAIN, PROJECT_PREFIX, USER

if TYPE_CHECKING:
    from kg_core.model import Graph


def level_title(graph: Graph) -> str:
    """The title of a level, without the colon."""
    if graph.key == USER:
        return "User memory"
    if graph.key == MAINTAIN:
        return "Maintenance memory"
    return f"Project memory ({graph.key.removeprefix(PROJECT_PREFIX)})"
