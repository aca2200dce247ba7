"""The private Postgres of a memory, as a test gets at it behind the memory's back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kg_search_pg.embedded.guard import children
from kg_search_pg.opening import places
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def processes(home: Path) -> list[int]:
    """The server and all that it started."""
    pid = int(places(Options(home=home)).pid_file.read_text(encoding="utf-8").split()[0])
    return [pid, *children(pid)]


def dsn(home: Path) -> str:
    """How to connect to it."""
    return f"host={places(Options(home=home)).sockets} user=kg dbname=postgres"


async def until(holds: Callable[[], bool]) -> None:
    """Waits for what Postgres and the memory do by themselves."""
    for _ in range(2_400):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came to that")
