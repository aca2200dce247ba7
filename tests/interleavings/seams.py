"""Where the real code touches the machine: threads, clocks, random names, files and limits, put under control.

Nothing that decides is replaced; what meets git and other people's folders is left out. The limits are those of a
memory of three short nodes, so that paging, budgets and segments of the journal matter within a few steps.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from kg_core.policy import compaction as planning
from kg_core.store import commits, journal, slices, store, upkeep
from kg_core.store import disk as disks
from kg_core.store.identity import Places
from kg_server import background, compaction, service
from kg_server.linelog import LineLog
from kg_server.sources import others

from .disk import Disk, File
from .scheduler import Thread

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kg_core.model import Graph

TIGHT = planning.Budget(most=64, fill=52, fresh=30, archived=12)
"""Two of the short nodes fit it without an edge between them, one of them is fresh, and one archived line fits."""
SEGMENT_BYTES = 2_000
"""A segment of the journal holds a few entries."""
LONG = 3
"""So many entries without news are passed over."""


class Machine:
    """What the code that runs now finds: its disk, and names that never repeat."""

    def __init__(self) -> None:
        self.disk: Any = Disk()
        self.names = 0

    def name(self, length: int) -> str:
        """A name that nobody has."""
        self.names += 1
        return f"{self.names:0{2 * length}d}"


class NoPlaces:
    """For ``Places``: a machine whose folders are all ordinary ones."""

    @staticmethod
    def from_environ(_environ: object) -> Places:
        """The same for every environment."""
        return Places(Path("/home/someone"), ())


class NoKeeping:
    """For ``Keeping``: nobody shares the memory with a team or with git."""

    def __init__(self, *_arguments: object) -> None:
        return

    async def open(self) -> None:
        """Nothing was exchanged."""

    async def run(self) -> None:
        """Nothing is."""

    def session_ended(self) -> None:
        """Nothing waits for that."""

    async def close(self) -> None:
        """Nothing will be."""


class Unheard:
    """For ``Heard``: nobody asks when the last event came."""

    def __init__(self, *_arguments: object) -> None:
        return

    def event(self, *_arguments: object) -> None:
        """Not kept."""

    def save(self) -> None:
        """Nothing to write down."""


class Unaccounted:
    """For ``RecallLog``: nobody asks why a lesson came to mind."""

    def __init__(self, *_arguments: object) -> None:
        return

    def note(self, *_arguments: object, **_named: object) -> None:
        """Not kept."""

    note_sent = settle = note

    async def keep(self) -> None:
        """Nothing to write down."""

    close = keep


class Seams:
    """The machine that the substituted seams lead to; one at a time."""

    machine = Machine()
    budget = TIGHT

    @classmethod
    def now(cls) -> float:
        """The monotonic clock."""
        loop: Any = asyncio.get_running_loop()
        now: float = loop.now
        return now

    @classmethod
    def name(cls, length: int) -> str:
        """For ``secrets.token_hex``."""
        return cls.machine.name(length)

    @classmethod
    def disk(cls) -> Any:
        """For ``OsFiles``."""
        return cls.machine.disk

    @classmethod
    def planned(cls, graph: Graph, user: Graph | None, now: int, settled: Collection[str] = ()) -> Any:
        """For ``planned``."""
        return planning.planned(graph, user, now, settled, cls.budget)

    @classmethod
    def log(cls, path: Path) -> LineLog:
        """For ``LineLog``."""
        opened = File(cls.machine.disk, path)
        return LineLog(opened, lambda file, mode: file.open(mode))  # type: ignore[arg-type, return-value]


def _still() -> float:
    return 0.0


@contextmanager
def controlled() -> Iterator[None]:
    """All seams lead to :class:`Seams` within this block."""
    with (
        patch.object(disks, "ThreadPoolExecutor", Thread),
        patch.object(store, "OsFiles", Seams.disk),
        patch.object(store, "Places", NoPlaces),
        patch.object(commits, "monotonic", Seams.now),
        patch.object(upkeep, "monotonic", Seams.now),
        patch.object(background, "monotonic", Seams.now),
        patch.object(slices, "perf_counter", _still),
        patch.object(upkeep, "QUIET", 0.0),
        patch.object(upkeep, "_LOOK", 0.0),
        patch.object(journal, "SEGMENT_BYTES", SEGMENT_BYTES),
        patch.object(service, "LineLog", Seams.log),
        patch.object(service, "_UPKEEP_ROUNDS", 1),
        patch.object(service, "Keeping", NoKeeping),
        patch.object(service, "Heard", Unheard),
        patch.object(service, "RecallLog", Unaccounted),
        patch.object(secrets, "token_hex", Seams.name),
        patch.object(others, "_LONG", LONG),
        patch.object(compaction, "planned", Seams.planned),
        _silent(),
    ):
        yield


@contextmanager
def _silent() -> Iterator[None]:
    """What the code logs about faults that were put in on purpose is of no interest."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
