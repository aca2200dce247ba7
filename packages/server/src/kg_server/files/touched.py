"""The pointers of all loaded graphs, kept at what is durable."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Final

from kg_core.policy import TouchIndex
from kg_server.background import Background

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kg_core.model import GraphKey
    from kg_core.store import Entry, Store

_FOLDS_CASE: Final = sys.platform in {"darwin", "win32"}


class Touched:
    """An index for each graph that was asked for. Making one takes slices of time, following it no more than the
    pointers that were written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._home = str(store.projects.places.home)
        self._indexes: dict[GraphKey, TouchIndex] = {}
        self._making: dict[GraphKey, asyncio.Task[None]] = {}
        self._background = Background()
        store.subscribe(self._follow)

    def begin(self, graphs: Iterable[GraphKey]) -> bool:
        """Has the indexes of loaded graphs made beside all else; tells whether one was missing."""
        missing = [key for key in graphs if key not in self._indexes]
        for key in missing:
            index = self._indexes[key] = TouchIndex(home=self._home, folds_case=_FOLDS_CASE)
            index.is_whole = False
            self._making[key] = asyncio.create_task(self._make(key))
        return bool(missing)

    async def ready(self, graphs: Iterable[GraphKey], patience: float | None = None) -> Mapping[GraphKey, TouchIndex]:
        """The indexes of loaded graphs, after at most ``patience`` seconds: one that is still being made knows less."""
        keys = tuple(graphs)
        self.begin(keys)
        pending = [task for key in keys if (task := self._making.get(key)) is not None]
        await self._background.wait(pending, patience)
        return {key: self._indexes[key] for key in keys}

    def has_any(self, graphs: Iterable[GraphKey]) -> bool:
        """Whether a lesson points at a file at all, as far as that is known."""
        return any(key in self._indexes and len(self._indexes[key]) > 0 for key in graphs)

    async def close(self) -> None:
        """Ends what runs in the background."""
        running = tuple(self._making.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _make(self, key: GraphKey) -> None:
        async for node_id in self._background.through(list(self._store.durable(key).nodes)):
            self._indexes[key].update(self._store.durable(key), (node_id,))
        self._indexes[key].is_whole = True
        del self._making[key]

    def _follow(self, entry: Entry) -> None:
        for change in entry.changes:
            index = self._indexes.get(change.graph)
            if index is not None:
                index.update(self._store.durable(change.graph), change.nodes)
