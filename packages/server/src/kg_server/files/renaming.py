"""The renames of work trees, asked of git beside the loop and remembered."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.policy import Renames, renames_of
from kg_server.keeping.git import GitFailed, quietly

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.model import Millis

log = logging.getLogger(__name__)

LOOKED_FOR: Final = 30_000
"""Milliseconds for which the renames of a work tree are not looked for again."""
_SECONDS: Final = 20.0
"""How long git may look through a history; one that takes longer is not asked for again for a while."""
FAILED_FOR: Final = 600_000
_COMMITS: Final = "5000"
_HEADS: Final = ("HEAD", "--branches")
"""What was renamed on a branch is asked for too: another work tree may have the file under its other name."""
_TREES: Final = 64
_LIST: Final = ("-M", "--diff-filter=R", "--name-status", "-z", "--no-ext-diff", "--no-textconv")


@dataclass(slots=True)
class _Tree:
    next: Millis = 0
    heads: str = ""
    committed: str = ""
    renames: Renames = field(default_factory=Renames)
    running: asyncio.Task[None] | None = None


class Renaming:
    """Knows the names that files of work trees have at other times. It never waits: what is not known yet is known
    later.
    """

    def __init__(self, clock: Callable[[], Millis]) -> None:
        self._clock = clock
        self._trees: dict[str, _Tree] = {}

    def names(self, tree: str, path: str) -> tuple[str, ...]:
        """The other names of a file of a work tree, those left out that another file has now.

        ``tree`` is the top of the work tree and ``path`` relative to it, as are the names.
        """
        return tuple(name for name in self._looked(tree).renames.names(path) if not os.path.lexists(Path(tree, name)))

    def look(self, tree: str) -> None:
        """Has the renames of a work tree looked for, if that is due."""
        self._looked(tree)

    async def settled(self) -> None:
        """Waits for what is being looked for."""
        running = [tree.running for tree in self._trees.values() if tree.running is not None]
        await asyncio.gather(*running)

    async def close(self) -> None:
        """Ends what runs in the background."""
        running = [tree.running for tree in self._trees.values() if tree.running is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _looked(self, tree: str) -> _Tree:
        now = self._clock()
        known = self._trees.pop(tree, None) or _Tree()
        self._trees[tree] = known
        while len(self._trees) > _TREES:
            oldest = self._trees.pop(next(iter(self._trees)))
            if oldest.running is not None:
                oldest.running.cancel()
        if known.running is None and (now >= known.next or known.next > now + FAILED_FOR):
            known.next = now + LOOKED_FOR
            known.running = asyncio.create_task(self._look(Path(tree), known))
        return known

    async def _look(self, folder: Path, tree: _Tree) -> None:
        try:
            async with asyncio.timeout(_SECONDS):
                heads = await quietly(folder, "rev-parse", *_HEADS)
                if heads != tree.heads:
                    tree.committed = await quietly(folder, "log", *_LIST, "--format=", "-n", _COMMITS, *_HEADS)
                    tree.heads = heads
                staged = await quietly(folder, "diff", "--cached", *_LIST, "HEAD")
            tree.renames = Renames((*renames_of(staged), *renames_of(tree.committed)))
        except (GitFailed, TimeoutError) as failure:
            tree.next = self._clock() + FAILED_FOR
            log.debug("The renames in %s are not known: %s", folder, failure)
        finally:
            tree.running = None
