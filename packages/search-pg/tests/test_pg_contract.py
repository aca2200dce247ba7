"""The contract of every search backend, by words alone and with meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from kg_plugin_testing.search import SearchBackendContract
from kg_search_pg.opening import open_backend
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kg_plugin_api import SearchBackend
    from kg_search_pg.embedded import EmbeddedServer


class TestByWords(SearchBackendContract):
    @pytest.fixture
    def open_backend(self, postgres: EmbeddedServer) -> Callable[[], Awaitable[SearchBackend]]:
        async def open_empty() -> SearchBackend:
            async with await psycopg.AsyncConnection.connect(postgres.dsn, autocommit=True) as connection:
                await connection.execute("drop schema if exists by_words cascade")
            return await open_backend(Options(dsn=postgres.dsn, schema="by_words", embedder="none"))

        return open_empty
