from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from kg_plugin_testing.plugin import PluginContract
from kg_plugin_testing.search import SearchBackendContract
from kg_search_sqlite import kg_search_backends

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from kg_plugin_api import SearchBackend


class TestSqlite(SearchBackendContract):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> Callable[[], Awaitable[SearchBackend]]:
        (factory,) = kg_search_backends()
        numbers = itertools.count()
        return lambda: factory.open({"home": str(tmp_path), "path": f"{next(numbers)}.db"})


class TestPlugin(PluginContract):
    @pytest.fixture
    def module(self) -> str:
        return "kg_search_sqlite"
