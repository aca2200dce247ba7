"""One search backend of a plug-in: kept at what is durable, asked with a deadline, left alone while it is out.

Memory never waits for it. What it missed is found by comparing its snapshot with ours, whatever happened to it.
"""

from __future__ import annotations

import asyncio
import logging
from enum import StrEnum
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from kg_core.host import flaw
from kg_core.model import to_iso
from kg_plugin_api import SearchResults, SearchUnavailable
from kg_server.searching.backlog import Backlog
from kg_server.searching.calls import reason, sayable, within

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kg_core.model import Millis
    from kg_plugin_api import SearchBackend, SearchItem, SearchRequest
    from kg_server.searching.chosen import Chosen

log = logging.getLogger(__name__)

LAG: Final = "lag"
"""Under this name a backend may say how much it has still to make of what it was told."""
LACK: Final = "problem"
"""Under this name a backend that answers may say what it does without."""
_BATCH: Final = 200
"""Items per call of ``upsert``."""
_OPEN_SECONDS: Final = 60.0
_CALL_SECONDS: Final = 60.0
_CLOSE_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 30.0
"""How often a backend that nobody changes or asks is looked at."""
_BUSY_SECONDS: Final = 1.0
"""The same while it has still to make something of what it was told: somebody may wait for that."""
_MISSES: Final = 3
"""After so many searches in a row without an answer in time it is not asked again before it was looked at."""
_LATE_SECONDS: Final = 1.0
"""It is not asked while there is something that it has lacked for longer: an import, or a lesson that takes it long."""
_DOUBT_SECONDS: Final = 5.0
"""How long it may take to say that it is well when that is in doubt."""
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 30.0


class State(StrEnum):
    """What a backend can do now."""

    OPENING = "opening"
    """It has not answered yet."""
    CATCHING_UP = "catching up"
    """It answers and does not have everything yet, so the built-in index is asked."""
    ANSWERING = "answering"
    OUT = "out"
    """It failed; it is tried again, ever less often."""


class Source(Protocol):
    """What the backend is to hold: the items of all graphs that are indexed."""

    def item(self, key: str) -> SearchItem | None:
        """The item as it is now, without secrets; ``None`` when there is none any more."""
        ...

    def hashes(self) -> Mapping[str, str]:
        """Key → hash of all of them."""
        ...

    def graphs(self) -> frozenset[str]:
        """The graphs of which :meth:`hashes` has everything."""
        ...


class Follower:
    """Runs a backend. All methods are called on the loop; :meth:`run` is a task of its owner."""

    def __init__(self, chosen: Chosen, source: Source, clock: Callable[[], Millis]) -> None:
        if chosen.factory is None:
            raise ValueError("no backend is chosen")
        self._factory = chosen.factory
        self._options = chosen.options
        self._source = source
        self._clock = clock
        self._backlog = Backlog()
        self._backend: SearchBackend | None = None
        self._state = State.OPENING
        self._to_compare = False
        self._complete: frozenset[str] = frozenset()
        self._said: dict[str, object] = {}
        self._misses = 0
        self._telling = 0
        self._lacking_since: float | None = None
        self._pause = _FIRST_PAUSE
        self._outage = ""
        self._failure: Exception | None = None

    @property
    def name(self) -> str:
        """The backend's name."""
        return self._factory.name

    @property
    def state(self) -> State:
        """What it can do now."""
        return self._state

    @property
    def outage(self) -> str:
        """A sentence while it is out, the same for one outage; else empty."""
        return self._outage

    @property
    def behind(self) -> int:
        """How many items it has not been told yet, or is being told, as far as known."""
        return len(self._backlog) + self._telling

    def changed(self, keys: Sequence[str]) -> None:
        """These items are new, other or gone."""
        if keys and self._lacking_since is None:
            self._lacking_since = monotonic()
        self._backlog.add(keys)

    def indexed(self) -> None:
        """Another graph is complete: what the backend has of it is to be compared."""
        self._to_compare = True
        self._backlog.wake()

    async def search(self, request: SearchRequest) -> SearchResults:
        """What the backend answers within the budget. Raises SearchUnavailable, with the reason, where it does not."""
        backend = self._backend
        is_ready = self._state is State.ANSWERING and self._complete.issuperset(request.graphs) and not self._is_late
        if backend is None or not is_ready:
            raise SearchUnavailable(self._outage or (await self._unready() if request.documents else ""))
        if self._is_doubted:
            raise SearchUnavailable(f"The search backend {self.name} is slow, so the built-in index answered.")
        try:
            results: object = await within(request.budget, lambda: backend.search(request))
        except TimeoutError as error:
            self._misses += 1
            if self._misses >= _MISSES:
                self._backlog.wake()
            sentence = f"The search backend {self.name} gave no answer within {round(request.budget * 1000)} ms."
            raise SearchUnavailable(f"{sentence} The built-in index answered.") from error
        except Exception as failure:  # plug-in border: whatever a backend raises
            self._failed(failure)
            raise SearchUnavailable(self._outage) from failure
        if not isinstance(results, SearchResults):
            self._failed(TypeError(f"it answered a search with a {type(results).__name__}"))
            raise SearchUnavailable(self._outage)
        if wrong := flaw(results):
            self._failed(TypeError(f"in what it answered a search with, {wrong}"))
            raise SearchUnavailable(self._outage)
        self._misses = 0
        return results

    async def _unready(self) -> str:
        """What whoever asks for documents is told while it is not asked: the built-in index has all lessons and none
        of those. Nothing where there are no documents.
        """
        if self._factory.has_documents is None:
            return ""
        try:
            if not await asyncio.to_thread(self._factory.has_documents, self._options):
                return ""
        except (Exception, SystemExit):  # plug-in border: whatever it raises
            log.warning("The search backend %s does not say whether it has documents", self.name, exc_info=True)
            return ""
        return (
            f"The search backend {self.name} does not have everything yet, so the built-in one answered; "
            "no documents were looked at."
        )

    @property
    def _is_doubted(self) -> bool:
        """Whether it let so many questions wait that it may not answer at all."""
        return self._misses >= _MISSES

    @property
    def _is_late(self) -> bool:
        """Whether whoever asks may look for what it should have long had."""
        return self._lacking_since is not None and monotonic() - self._lacking_since > _LATE_SECONDS

    async def run(self) -> None:
        """Follows until it is cancelled; never raises otherwise."""
        while True:
            try:
                await self._follow()
            except Exception as failure:  # noqa: BLE001 - plug-in border: whatever a backend raises
                self._failed(failure)
            await self.close()
            await asyncio.sleep(self._pause)
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    async def close(self) -> None:
        """Lets go of the backend. May be called twice; never raises."""
        backend, self._backend = self._backend, None
        if backend is not None:
            try:
                await within(_CLOSE_SECONDS, backend.close)
            except Exception as failure:  # noqa: BLE001 - plug-in border: whatever a backend raises
                log.warning("The search backend %s did not close: %s", self.name, reason(failure))

    def health(self) -> dict[str, object]:
        """JSON-compatible facts: ours, and under ``said`` what the backend said of itself when last asked."""
        lacks = self._state is State.ANSWERING and (self._is_late or self._complete != self._source.graphs())
        state = State.CATCHING_UP if lacks else self._state
        told: dict[str, object] = {"backend": self.name, "state": str(state), "behind": self.behind}
        if self._outage:
            told["outage"] = self._outage
        return {**told, "said": self._said}

    async def _follow(self) -> None:
        """Opens the backend, brings it up to date and keeps it so. Raises whatever fails."""
        self._failure = None
        self._backlog.clear()
        backend = self._backend = await within(_OPEN_SECONDS, lambda: self._factory.open(self._options))
        self._to_compare = True
        while True:
            if self._failure is not None:
                raise self._failure
            graphs = self._source.graphs()
            if self._to_compare:
                self._to_compare = False
                await self._compare(backend, graphs)
            await self._tell(backend)
            if not self._to_compare and not self._backlog and self._failure is None:
                if not self._is_doubted:
                    self._answering(graphs)
                self._said = sayable(
                    await within(_DOUBT_SECONDS if self._is_doubted else _CALL_SECONDS, backend.health)
                )
                self._misses = 0
                await self._backlog.wait(_BUSY_SECONDS if self._said.get(LAG) else _LOOK_SECONDS)

    async def _compare(self, backend: SearchBackend, graphs: frozenset[str]) -> None:
        """Finds what the backend lacks, and what it has of ``graphs`` although it is gone."""
        theirs: Mapping[str, str] = await within(_CALL_SECONDS, backend.snapshot)
        ours = self._source.hashes()
        missing = [key for key, digest in ours.items() if theirs.get(key) != digest]
        gone = [key for key in theirs if key not in ours and key.partition("\x1f")[0] in graphs]
        if missing or gone:
            if self._state is not State.ANSWERING:
                self._state = State.CATCHING_UP
            self._backlog.add([*missing, *gone])

    async def _tell(self, backend: SearchBackend) -> None:
        while keys := self._backlog.take(_BATCH):
            self._telling = len(keys)
            items = {key: self._source.item(key) for key in keys}
            try:
                if upserts := [item for item in items.values() if item is not None]:
                    await within(_CALL_SECONDS, partial(backend.upsert, upserts))
                if removed := [key for key, item in items.items() if item is None]:
                    await within(_CALL_SECONDS, partial(backend.remove, removed))
            except BaseException:
                self._backlog.add(keys)
                raise
            finally:
                self._telling = 0
        self._lacking_since = None

    def _answering(self, graphs: frozenset[str]) -> None:
        if self._outage:
            log.info("The search backend %s answers again", self.name)
        self._state, self._outage, self._complete = State.ANSWERING, "", graphs
        self._misses, self._pause = 0, _FIRST_PAUSE

    def _failed(self, failure: Exception) -> None:
        """The backend is out from now on, unless it is already."""
        if self._state is not State.OUT:
            since = to_iso(self._clock())[:19] + "Z"
            self._outage = (
                f"The search backend {self.name} does not answer since {since} ({reason(failure)}). "
                "The built-in index answers until it is back; nothing is lost. `kg doctor` says more."
            )
            log.warning("%s", self._outage)
        self._state, self._failure = State.OUT, failure
        self._backlog.wake()
