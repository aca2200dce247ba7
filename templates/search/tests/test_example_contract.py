from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_plugin_testing.plugin import PluginContract
from kg_plugin_testing.search import SearchBackendContract
from kg_search_example import kg_search_backends

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from kg_plugin_api import SearchBackend


class TestExample(SearchBackendContract):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> Callable[[], Awaitable[SearchBackend]]:
        (factory,) = kg_search_backends()
        return lambda: factory.open({"home": str(tmp_path)})


class TestPlugin(PluginContract):
    @pytest.fixture
    def module(self) -> str:
        return "kg_search_example"
