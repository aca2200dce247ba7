"""The built-in index keeps the contract that every search backend keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_core.policy import Index
from kg_plugin_testing.search import SearchBackendContract

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from kg_plugin_api import SearchBackend, SearchItem, SearchRequest, SearchResults


class Builtin:
    """The index behind the protocol that every backend has."""

    def __init__(self) -> None:
        self._index = Index()

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        self._index.upsert(items)

    async def remove(self, keys: Sequence[str]) -> None:
        self._index.remove(keys)

    async def search(self, request: SearchRequest) -> SearchResults:
        return self._index.search(request)

    async def snapshot(self) -> Mapping[str, str]:
        return self._index.snapshot()

    async def health(self) -> Mapping[str, object]:
        return {"items": len(self._index)}

    async def close(self) -> None:
        """Nothing to let go of."""


async def open_builtin() -> SearchBackend:
    return Builtin()


class TestBuiltin(SearchBackendContract):
    @pytest.fixture
    def open_backend(self) -> Callable[[], Awaitable[SearchBackend]]:
        return open_builtin
