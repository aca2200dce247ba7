"""One private Postgres for all tests of this package."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_search_pg.embedded import EmbeddedServer, Places
from kg_search_pg.embedded.programs import Programs

if TYPE_CHECKING:
    from collections.abc import Iterator


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
