"""Everything about the memory as files that people and git live with, for the service and the HTTP interface."""

from __future__ import annotations

import asyncio
import logging
from time import monotonic
from typing import TYPE_CHECKING, Final

from kg_plugin_api import KgError
from kg_server.keeping.additions import Additions
from kg_server.keeping.ageing import Ageing
from kg_server.keeping.apart import copy_apart
from kg_server.keeping.commits import GitCommits
from kg_server.keeping.copies import Copies
from kg_server.keeping.deletions import Deletions
from kg_server.keeping.exchange import Exchange
from kg_server.keeping.offers import Offers
from kg_server.keeping.renames import Renames

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from kg_core.model import Millis
    from kg_core.store import Home, Settings
    from kg_server.memory import Memory

log = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 2.0
"""How often exchange copies are looked at."""
_AGE_SECONDS: Final = 600.0
"""How often it is looked whether lessons have aged."""
_END_SECONDS: Final = 10.0
"""How long the last commit may hold up the end of the server."""


class Keeping:
    """Offers, changes by hand, copies, commits, the exchange with a team, ageing. :meth:`run` is what happens by
    itself.
    """

    def __init__(
        self, home: Home, memory: Memory, clock: Callable[[], Millis], settings: Settings, version: str
    ) -> None:
        self._home = home
        self._projects = memory.store.projects
        self.offers = Offers(home, memory, clock)
        self.copies = Copies(home, memory, clock, version)
        self.deletions = Deletions(memory, self.copies, clock)
        self.renames = Renames(memory, clock)
        self.additions = Additions(memory, clock)
        self.commits = GitCommits(home, memory.store)
        self.exchange = Exchange(home, memory, clock)
        self.ageing = Ageing(memory, self.exchange, clock, settings.memory.age_orphans_days)
        self._minutes = settings.git.commit_minutes
        self._is_due = False

    async def open(self) -> None:
        """What a team has exchanged since the server last ran: before the first session is told what is known."""
        await self._try(self.exchange.sync())

    async def apart(self, cwd: str) -> str:
        """What to do about a team's copy around ``cwd`` that is not kept in step; empty where nothing is."""
        return await asyncio.to_thread(copy_apart, self._home, self._projects.places, cwd)

    def session_ended(self) -> None:
        """A good moment for a commit, should what the session wrote not be in one."""
        self._is_due = self.commits.is_behind

    async def run(self) -> None:
        """Looks at exchange copies and at what ages, and commits when it is time or a session has ended, until it is
        cancelled.
        """
        committed = aged = monotonic()
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            await self._try(self.exchange.sync())
            if self._minutes and (self._is_due or monotonic() >= committed + self._minutes * 60):
                self._is_due = False
                await self._try(self.commits.commit())
                committed = monotonic()
            if monotonic() >= aged + _AGE_SECONDS:
                await self._try(self.ageing.run())
                aged = monotonic()

    async def close(self) -> None:
        """The last exchange and the last commit, within a deadline."""
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._try(self.exchange.sync())
                if self._minutes:
                    await self._try(self.commits.commit())
        except TimeoutError:
            log.warning("git took too long at the end of the server; the memory is saved all the same")

    async def _try(self, work: Coroutine[object, object, object]) -> None:
        try:
            await work
        except KgError as failure:
            log.warning("%s", failure.sentence)
