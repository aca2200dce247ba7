"""The benchmark of the search in Postgres runs, small, and goes on where it was broken off; no claim about speed."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_search_pg.opening import open_backend
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_search_pg.backend import PgBackend

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    script: Sequence[str] = [sys.executable, str(ROOT / "bench" / "postgres.py"), *options]
    return subprocess.run(script, env=os.environ, capture_output=True, text=True, timeout=180, check=False)


def test_a_large_memory_is_filled_indexed_and_asked_and_a_second_run_keeps_it(tmp_path: Path) -> None:
    options = ["--nodes", "1100", "--rows", "2200", "--questions", "10", "--folder", str(tmp_path / "memory")]

    first = run(*options, "--json", str(tmp_path / "first.json"))
    again = run(*options, "--json", str(tmp_path / "again.json"))
    other = run("--nodes", "10", "--folder", str(tmp_path / "memory"))

    assert first.returncode == 0, first.stderr
    found = json.loads((tmp_path / "first.json").read_text(encoding="utf-8"))
    assert found["rows"] == 2200
    assert found["seconds"].keys() >= {"rows", "chunk_words", "vectors"}
    assert all(size > 0 for size in found["bytes"].values())
    assert found["times"]["tool, warm"]["degraded"] == 0
    assert again.returncode == 0, again.stderr
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))["seconds"].keys() == {"vectors"}
    assert "Name another one" in other.stderr


def test_a_fill_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "bench")
    from scale import filling
    from scale.rows import Shape

    monkeypatch.setattr(filling, "_NODES_AT_A_TIME", 20)
    shape = Shape(50, 150)

    async def main() -> tuple[list[str], list[str], dict[str, float]]:
        backend = await open_backend(Options(home=tmp_path, embedder="none"))
        try:
            await filling.fill(backend, shape)
            whole = await digests(backend)
            async with backend.database.connection() as connection:
                await connection.execute("delete from chunk where substr(item, 2)::int >= 20")
            took = await filling.fill(backend, shape)
            return whole, await digests(backend), took
        finally:
            await backend.close()

    async def digests(backend: PgBackend) -> list[str]:
        async with backend.database.connection() as connection:
            rows = await connection.execute(
                "select md5(key || ordinal || content || words::text || embedding::text) from chunk order by 1"
            )
            return [digest for (digest,) in await rows.fetchall()]

    whole, again, took = asyncio.run(main())

    assert len(whole) == 150
    assert again == whole
    assert "rows" in took
