"""Search in Postgres: by words and by meaning. It holds an index of the memory and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_plugin_api import SearchBackendFactory, hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api import SearchBackend

__all__ = ["PG", "kg_search_backends"]


async def _open(options: Mapping[str, str]) -> SearchBackend:
    from kg_search_pg.opening import open_backend
    from kg_search_pg.options import Options

    return await open_backend(Options.parse(options))


PG: Final = SearchBackendFactory(name="pg", title="Postgres, by words and by meaning", open=_open)


@hookimpl
def kg_search_backends() -> tuple[SearchBackendFactory, ...]:
    """Offers the backend ``pg``."""
    return (PG,)
