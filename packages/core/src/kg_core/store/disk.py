"""The threads that touch the disk: one for the journal, so that no write waits for a snapshot, and one for the rest."""

from __future__ import annotations

import asyncio
import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.home import Home
    from kg_core.store.files import Files

_Result = TypeVar("_Result")


class Disk:
    """Files and folders of one store, and the threads that work on them in order."""

    def __init__(self, home: Home, files: Files) -> None:
        self.home = home
        self.files = files
        self._journal = ThreadPoolExecutor(1, thread_name_prefix="kg-journal")
        self._files = ThreadPoolExecutor(1, thread_name_prefix="kg-files")
        self._others = ThreadPoolExecutor(4, thread_name_prefix="kg-others")

    async def journal(self, job: Callable[[], _Result]) -> _Result:
        """Runs a job on the journal's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._journal, job)

    async def run(self, job: Callable[[], _Result]) -> _Result:
        """Runs any other job that touches files."""
        return await asyncio.get_running_loop().run_in_executor(self._files, job)

    async def others(self, job: Callable[[], _Result]) -> _Result:
        """Runs a job that only looks at files of others. They may lie on a disk that hangs: nothing waits behind it."""
        return await asyncio.get_running_loop().run_in_executor(self._others, job)

    def later(self, job: Callable[[], None]) -> None:
        """Runs a job when its turn comes; nobody waits for it."""
        self._files.submit(job)

    async def close(self) -> None:
        """Finishes what was begun and ends the threads."""
        await self.run(lambda: None)
        await self.journal(lambda: None)
        self._files.shutdown(wait=False)
        self._journal.shutdown(wait=False)
        self._others.shutdown(wait=False)


def digest(chunks: Sequence[bytes]) -> str:
    """The SHA-256 of the pieces together."""
    total = hashlib.sha256()
    for chunk in chunks:
        total.update(chunk)
    return total.hexdigest()
