"""Marks of a killed Postgres whose number a process has got that says nothing of itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kg_search_pg.embedded import Places, leftover


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are asked otherwise here")
@pytest.mark.parametrize("refusal", [PermissionError, ProcessLookupError, FileNotFoundError])
def test_a_process_that_cannot_be_looked_at_is_left_alone_and_holds_up_no_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: type[OSError]
) -> None:
    """On a system that hides processes from other users (``hidepid``), and of one that ends meanwhile."""
    places = Places(tmp_path)
    places.data.mkdir()
    places.pid_file.write_text(f"{os.getpid()}\n", encoding="ascii")

    def refused(_: Path) -> bytes:
        raise refusal

    with monkeypatch.context() as hidden:
        hidden.setattr(Path, "read_bytes", refused)
        leftover.clear(places)

    assert not places.pid_file.exists()
