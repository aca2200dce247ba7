"""A server that lends no filter of secrets: its documents stay out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import kg_search_pg
from kg_plugin_api import KgError
from kg_search_pg.desk import Desk
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_server_that_lends_the_filter_there_are_no_documents(
    opened: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def main() -> None:
        async with opened(embedder="none") as backend:
            monkeypatch.setattr(kg_search_pg, "_DESK", Desk(options=Options(), backend=backend))
            operations = {operation.name: operation for operation in kg_search_pg.kg_operations()}

            with pytest.raises(KgError, match="secrets"):
                await operations["docs add"].run({"folder": str(tmp_path)})

    asyncio.run(main())
