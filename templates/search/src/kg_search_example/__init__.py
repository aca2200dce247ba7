"""Searches the memory of kg with Example Title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_plugin_api import SearchBackendFactory, hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api import SearchBackend

__all__ = ["kg_search_backends"]


async def _open(options: Mapping[str, str]) -> SearchBackend:
    # Imported here: `kg` starts without it where another backend is chosen.
    from kg_search_example.backend import ExampleBackend

    return ExampleBackend()


@hookimpl
def kg_search_backends() -> tuple[SearchBackendFactory, ...]:
    """Offers the backend ``example``."""
    return (SearchBackendFactory(name="example", open=_open, title="Example Title"),)
