"""Searches the memory of kg with SQLite's full-text index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_plugin_api import SearchBackendFactory, hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api import SearchBackend

__all__ = ["kg_search_backends"]


async def _open(options: Mapping[str, str]) -> SearchBackend:
    # SQLite is loaded when a memory asks for this backend, not whenever `kg` starts.
    from kg_search_sqlite.backend import SqliteBackend

    return await SqliteBackend.open(options)


@hookimpl
def kg_search_backends() -> tuple[SearchBackendFactory, ...]:
    """Offers the backend ``sqlite``."""
    return (SearchBackendFactory(name="sqlite", open=_open, title="SQLite full-text search"),)
