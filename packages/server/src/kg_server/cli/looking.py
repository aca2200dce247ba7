"""Looks at the memory through the server, and says so where it takes long, as the first look at a large one does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kg_server.cli.options import patiently

if TYPE_CHECKING:
    from kg_core.store import Home
    from kg_server.client import Query


def looked(home: Home, path: str, query: Query, what: str = "Looking") -> Any:
    """The JSON that a GET of ``path`` answers; ``what`` is said when it takes more than a second. Raises KgError."""
    from kg_server.client import Client

    def ask() -> Any:
        with Client(home) as client:
            return client.get(path, query)

    return patiently(what, ask)
