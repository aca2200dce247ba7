"""One private Postgres for all tests of this package, and an embedder that can be ill-treated."""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import settings

from kg_search_pg.embedded import EmbeddedServer, Places
from kg_search_pg.embedded.programs import Programs
from kg_search_pg.opening import open_backend
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from types import ModuleType

    from kg_search_pg.backend import PgBackend

settings.register_profile("kg", settings.default, deadline=None)  # a busy machine proves nothing
settings.load_profile("kg")

_STANDINS = "kg_search_pg_tests_standins"


def _standins() -> ModuleType:
    if _STANDINS not in sys.modules:
        spec = importlib.util.spec_from_file_location(_STANDINS, Path(__file__).parent / "_support" / "standins.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[_STANDINS] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[_STANDINS]


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedServer]:
    """A running server that tests leave running."""
    folder = Path(tempfile.mkdtemp(prefix="kg-pg-"))
    server = EmbeddedServer(Places(folder / "pg"), Programs.find())
    asyncio.run(server.start())
    try:
        yield server
    finally:
        asyncio.run(server.stop())
        shutil.rmtree(folder)


@pytest.fixture
def endpoint() -> Iterator[Any]:
    with _standins().embedding() as stand_in:
        yield stand_in


@pytest.fixture
def reranker() -> Iterator[Any]:
    with _standins().reranking() as stand_in:
        yield stand_in


@pytest.fixture
def opened(postgres: EmbeddedServer, endpoint: Any) -> Any:
    """Opens a backend on an emptied schema, or on what another left with ``keep=True``."""

    @asynccontextmanager
    async def open_one(*, keep: bool = False, host: Any = None, **more: Any) -> AsyncIterator[PgBackend]:
        if not keep:
            async with await psycopg.AsyncConnection.connect(postgres.dsn, autocommit=True) as connection:
                await connection.execute("drop schema if exists tried cascade")
        given = {"embedder": "openai", "url": endpoint.url, "model": "stand-in", **more}
        backend = await open_backend(Options(dsn=postgres.dsn, schema="tried", **given), host=host)
        try:
            yield backend
        finally:
            await backend.close()

    return open_one


@pytest.fixture
def until() -> Any:
    """Waits until the health of a backend is as asked; the last one told."""

    async def wait(backend: PgBackend, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        for _ in range(3_000):
            health = dict(await backend.health())
            if holds(health):
                return health
            await asyncio.sleep(0.02)
        raise AssertionError(f"it never came to that: {health}")

    return wait
