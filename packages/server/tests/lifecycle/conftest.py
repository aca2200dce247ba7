"""The processes and places of servers that are started and stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_server.carrier.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.store import Home


@pytest.fixture
def places(home: Home) -> Places:
    Path(Places(str(home.root)).state).mkdir(exist_ok=True)
    return Places(str(home.root))


@pytest.fixture
def servers_of() -> Callable[[Home], list[int]]:
    """Pids of the server processes of a home."""

    def found(home: Home) -> list[int]:
        pids = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"serve" in command and str(home.root).encode() in command:
                pids.append(int(folder.name))
        return pids

    return found
