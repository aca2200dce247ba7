"""Backups that something happened to: read, or refused in a sentence, and nothing else."""

from __future__ import annotations

import asyncio
import io
import json
import tarfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_core.exchange.archive import MANIFEST, Member, write
from kg_core.exchange.sources import read_source
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    nodes = {f"lesson-{number}": {"gist": f"A lesson about {number * 7919}."} for number in range(2_000)}
    graph = json.dumps({"format": 1, "nodes": nodes, "edges": []}).encode()
    write(tmp_path / "backup.tar.gz", [Member("user.json", (graph,))], {}, 1)
    return tmp_path / "backup.tar.gz"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(damage=st.lists(st.tuples(st.floats(0, 0.999), st.integers(1, 255)), min_size=1, max_size=40))
def test_a_damaged_backup_is_read_or_refused(backup: Path, damage: list[tuple[float, int]]) -> None:
    content = bytearray(backup.read_bytes())
    for place, change in damage:
        content[int(place * len(content))] ^= change
    damaged = backup.with_name("damaged.tar.gz")
    damaged.write_bytes(content)

    try:
        read = asyncio.run(read_source(damaged, "kg"))
    except KgError:
        return

    assert read.format == "kg"


@pytest.mark.parametrize("manifest", ["[]", "null", '{"format": null}', '{"format": "1"}', "[" * 100_000])
def test_a_manifest_that_says_nothing_makes_no_backup(tmp_path: Path, manifest: str) -> None:
    path = tmp_path / "odd.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo(MANIFEST)
        entry.size = len(manifest)
        archive.addfile(entry, io.BytesIO(manifest.encode()))

    with pytest.raises(KgError, match="no backup of kg") as failure:
        asyncio.run(read_source(path))

    assert failure.value.code is Code.INVALID
