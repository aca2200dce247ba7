"""The built-in index keeps the contract that every search backend keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_core.policy import BuiltinBackend, Index
from kg_plugin_testing.search import SearchBackendContract

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kg_plugin_api import SearchBackend


async def open_builtin() -> SearchBackend:
    return BuiltinBackend(Index())


class TestBuiltin(SearchBackendContract):
    @pytest.fixture
    def open_backend(self) -> Callable[[], Awaitable[SearchBackend]]:
        return open_builtin
