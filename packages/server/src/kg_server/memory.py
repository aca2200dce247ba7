"""The store with what follows it: the search index, the observers. The one way from the server to memory."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kg_core.model import SUPERSEDES, USER
from kg_core.policy import Index, item, key, scrub, scrub_node
from kg_core.policy.lookalikes import Lookalikes
from kg_core.render import standing
from kg_core.store import Problem, ProblemKind, Store
from kg_plugin_api import MemoryChange, SearchUnavailable
from kg_server.background import Background
from kg_server.circles import Circles
from kg_server.lent import Lent
from kg_server.searching import Follower, choose

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from kg_core.host.plugins import Plugins
    from kg_core.model import Change, Graph, GraphKey, Millis, Node
    from kg_core.store import Entry, Home, Settings, Write
    from kg_plugin_api import SearchItem, SearchRequest, SearchResults

_AT_ONCE = 25
"""So many nodes that a write touches are indexed with it; more follow in slices."""

_INDEXING = "The memory is still being indexed, so this may not be all."


class Memory:
    """Loads graphs when they are first needed, and keeps the index at what is durable."""

    def __init__(self, store: Store, plugins: Plugins) -> None:
        self.store = store
        self.index = Index()
        self.lookalikes = Lookalikes()
        self._clean: dict[str, tuple[Node, Node]] = {}
        """What was last indexed of a node, and the same without secrets: a move between tiers looks through no text."""
        self._plugins = plugins
        self.follower: Follower | None = None
        self._unchosen = ""
        """Why the search backend that the settings name cannot be asked."""
        self._following: asyncio.Task[None] | None = None
        self._indexing: dict[GraphKey, set[asyncio.Task[None]]] = {}
        self._whole: set[GraphKey] = set()
        self._background = Background()
        self._circles = Circles(store, self._at_hand)
        store.subscribe(self._followed)

    @classmethod
    async def open(cls, home: Home, *, clock: Callable[[], Millis], settings: Settings, plugins: Plugins) -> Memory:
        """Opens the storage and loads the user's graph. Raises CONFLICT when another server holds it."""
        store = await Store.open(home, clock=clock, settings=settings)
        memory = cls(store, plugins)
        plugins.serving(Lent(store))
        chosen = choose(settings, plugins, home)
        memory._unchosen = chosen.problem
        if chosen.factory is not None:
            memory.follower = Follower(chosen, memory, clock)
            memory._following = asyncio.create_task(memory.follower.run())
        await memory.load(USER)
        return memory

    async def load(self, *graphs: GraphKey) -> None:
        """Makes graphs available; the index follows in the background."""
        for graph in graphs:
            await self.store.load(graph)
            if graph not in self._indexing:
                self._indexing[graph] = set()
                indexing = self._run(graph, self._index(graph, list(self.durable(graph).nodes)))
                indexing.add_done_callback(partial(self._indexed, graph))

    def indexed_later(self) -> AbstractContextManager[None]:
        """Meanwhile nothing is indexed in the background, unless a search waits for it."""
        return self._background.after()

    @property
    def loaded(self) -> tuple[GraphKey, ...]:
        """The graphs that are available."""
        return tuple(self._indexing)

    def durable(self, graph: GraphKey) -> Graph:
        """A loaded graph as readers may see it."""
        return self.store.durable(graph)

    def pending(self, graph: GraphKey) -> Graph:
        """A loaded graph as the next write meets it."""
        return self.store.pending(graph)

    def commit(self, write: Write) -> asyncio.Future[Entry]:
        """Applies a write at once and promises its durability."""
        return self.store.commit(write)

    async def search(self, request: SearchRequest, *, patience: float | None = None) -> SearchResults:
        """Asks the search backend, and the built-in index where none can answer in time.

        Waits at most ``patience`` seconds for graphs that are still being indexed; what is then missing is told.
        """
        pending = [task for graph in request.graphs for task in self._indexing.get(graph, ())]
        await self._background.wait(pending, patience)
        if self.follower is None:
            found = self.index.search(request)
            return found if all(task.done() for task in pending) else replace(found, degraded=_INDEXING)
        asked = replace(request, text=scrub(request.text).text)  # a prompt may hold a secret, and leaves the process
        try:
            return self.index.weighed(asked, await self.follower.search(asked))
        except SearchUnavailable as failure:
            return replace(self.index.search(request), degraded=failure.sentence)

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong now with the storage, and with the search backend."""
        outage = self.follower.outage if self.follower is not None else self._unchosen
        beside = Problem(kind=ProblemKind.SEARCH, path="", sentence=outage)
        return (*self.store.problems(), *([beside] if outage else []))

    def item(self, key: str) -> SearchItem | None:
        """A node as it is indexed: without secrets."""
        return self.index.get(key)

    def hashes(self) -> Mapping[str, str]:
        """Key → hash of all that is indexed."""
        return self.index.snapshot()

    def graphs(self) -> frozenset[GraphKey]:
        """The graphs that are indexed whole."""
        return frozenset(self._whole)

    async def close(self) -> None:
        """Ends what runs in the background and closes the store."""
        running = [
            *(task for tasks in self._indexing.values() for task in tasks),
            *([self._following] if self._following is not None else []),
        ]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._circles.close()
        if self.follower is not None:
            await self.follower.close()
        await self.store.close()

    def _at_hand(self) -> dict[GraphKey, Graph]:
        return {key: self.durable(key) for key in self._indexing}

    def _run(self, graph: GraphKey, indexing: Coroutine[None, None, None]) -> asyncio.Task[None]:
        running = self._indexing[graph]
        task = asyncio.create_task(indexing)
        running.add(task)
        task.add_done_callback(running.discard)
        return task

    async def _index(self, graph: GraphKey, ids: Iterable[str]) -> None:
        """Indexes nodes in slices, each from the value of its own time, so that no newer item is overwritten."""
        async for node_id in self._background.through(ids):
            self._upsert(self.durable(graph), (node_id,))

    def _indexed(self, graph: GraphKey, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        self._whole.add(graph)
        self._circles.look(graph)
        if self.follower is not None:
            self.follower.indexed()

    def _followed(self, entry: Entry) -> None:
        for change in entry.changes:
            if change.graph in self._indexing:
                self._follow(change.graph, _touched(entry, change, self.durable(change.graph)))
                self._circles.follow(change)
            self._plugins.changed(
                MemoryChange(
                    sequence=entry.sequence,
                    graph=change.graph,
                    by=entry.by,
                    written=tuple(node_id for node_id, node in change.nodes.items() if node is not None),
                    removed=tuple(node_id for node_id, node in change.nodes.items() if node is None),
                    edges_changed=len(change.edges),
                )
            )

    def _follow(self, graph: GraphKey, ids: Sequence[str]) -> None:
        """A search waits for what is not indexed with its write."""
        if len(ids) > _AT_ONCE:
            self._run(graph, self._catch_up(graph, ids))
            return
        self._upsert(self.durable(graph), ids)
        self._tell(graph, ids)

    async def _catch_up(self, graph: GraphKey, ids: Sequence[str]) -> None:
        await self._index(graph, ids)
        self._tell(graph, ids)

    def _tell(self, graph: GraphKey, ids: Iterable[str]) -> None:
        """The search backend asks for what is indexed, so it is told once that is so."""
        if self.follower is not None:
            self.follower.changed([key(graph, node_id) for node_id in ids])

    def _upsert(self, graph: Graph, ids: Iterable[str]) -> None:
        items: list[SearchItem] = []
        for node_id in ids:
            place = key(graph.key, node_id)
            node = graph.nodes.get(node_id)
            if node is None:
                self.index.remove((place,))
                self.lookalikes.remove(graph.key, node_id)
                self._clean.pop(place, None)
                continue
            seen, clean = self._clean.get(place, (None, node))
            if seen is not node:
                clean = scrub_node(node)
                self.lookalikes.put(graph.key, node_id, clean.gist)
                self._clean[place] = (node, clean)
            items.append(item(graph.key, clean, graph.use_of(node_id), standing(graph, node_id)))
        self.index.upsert(items)


def _touched(entry: Entry, change: Change, after: Graph) -> list[str]:
    """The nodes whose item a change may alter: their content, their tier, or what supersedes them. That may be an edge
    which had waited for its node, or which one that is gone leaves behind.
    """
    moved = [
        node_id for node_id, node in change.nodes.items() if node is None or not entry.before.get((after.key, node_id))
    ]
    edges = [*change.edges, *(key for node_id in moved for key in after.incident.get(node_id, ()))]
    superseded = (edge.target for edge in edges if edge.rel == SUPERSEDES)
    return list(dict.fromkeys([*change.nodes, *change.use, *superseded]))
