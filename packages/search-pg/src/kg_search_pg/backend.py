"""The backend: two legs, fused, each of which may be missing. What is missing is said with every answer."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Final

from kg_plugin_api import SearchHit, SearchResults
from kg_search_pg import dense, similarity
from kg_search_pg.chunks import LONGEST, chunks
from kg_search_pg.database import set_timeout
from kg_search_pg.documents import DOCUMENT, DocumentRows, Documents, Sources
from kg_search_pg.documents.passages import best, read
from kg_search_pg.embedding import EmbedderFailed, Queue, tokenizer_of
from kg_search_pg.filters import NODE
from kg_search_pg.fusion import SIGNED, Weights, fuse
from kg_search_pg.lexical import LexicalLeg
from kg_search_pg.misses import Misses, is_miss
from kg_search_pg.reranking import POOL, RerankerFailed, reranked
from kg_search_pg.rows import Rows
from kg_search_pg.stems import Stems
from kg_search_pg.words import has_sign

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from kg_plugin_api import Host, SearchItem, SearchRequest
    from kg_search_pg.database import Database
    from kg_search_pg.embedding import Embedder, Vector
    from kg_search_pg.fusion import Found
    from kg_search_pg.options import Options
    from kg_search_pg.reranking import Reranker

    Legs = Mapping[str, Sequence[Found]]
    """What one leg found, by type of row."""

_SHARE: Final = 0.9
"""The part of a request's budget that is used; the rest is for the way back."""
_READING: Final = 0.05
"""The part of it that passages may take to be read although the other one is used up."""
_LONGEST_QUESTION: Final = 4_000
"""Characters of a question that are looked at; of those that are embedded there are fewer, as of a stored text."""
_MANY: Final = 50_000
_COUNT_SECONDS: Final = 10.0
"""So many rows take a while to count, and somebody asks after every write."""
_TOO_LONG: Final = "the search by meaning took too long"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """The leg by meaning: an embedder and the queue that feeds it, or ``problem``, which says why there is none."""

    embedder: Embedder | None = None
    queue: Queue | None = None
    problem: str = ""


class PgBackend:
    """An index in Postgres. It answers by words alone while it cannot by meaning, and says so."""

    def __init__(
        self,
        database: Database,
        options: Options,
        meaning: Meaning,
        release: Callable[[], Awaitable[None]],
        reranker: Reranker | None = None,
        host: Host | None = None,
    ) -> None:
        self._database = database
        self._options = options
        self._meaning = meaning
        self._release = release
        self._reranker = reranker
        stems = Stems(options.language)
        self._rows = Rows(database, stems)
        self._lexical = LexicalLeg(stems)
        self._weights = Weights(
            lexical_constant=options.lexical_constant,
            dense_constant=options.dense_constant,
            lexical=options.lexical_weight,
            dense=options.dense_weight,
        )
        self._embedding = asyncio.create_task(meaning.queue.run()) if meaning.queue is not None else None
        self._documents = (
            Documents(
                DocumentRows(database, stems),
                Sources.of(options.home),
                host,
                tokenizer_of(meaning.embedder),
                self._changed,
            )
            if host is not None
            else None
        )
        if self._documents is not None:
            self._documents.begin()
        self.misses: Misses | None = None
        """Where questions that nothing answered are written down; ``None`` where that is not wanted."""
        if host is not None and options.misses:
            self.misses = Misses(options.home / "state" / "search-misses.jsonl", host.without_secrets)
        self._is_closed = False
        self._counted = (0.0, 0, 0)

    @property
    def is_closed(self) -> bool:
        """Whether it was let go of."""
        return self._is_closed

    @property
    def database(self) -> Database:
        """The connections, for what a person asks of the backend."""
        return self._database

    @property
    def meaning(self) -> Meaning:
        """The leg by meaning."""
        return self._meaning

    @property
    def reranker(self) -> Reranker | None:
        """What puts the best in a better order, if anything."""
        return self._reranker

    @property
    def documents(self) -> Documents | None:
        """The documents; ``None`` where nobody lends what keeps secrets out of them."""
        return self._documents

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        """Replaces by key; what is embedded of it follows later."""
        await self._rows.upsert(items)
        self._changed()

    async def remove(self, keys: Sequence[str]) -> None:
        """Forgets keys; unknown ones are ignored."""
        await self._rows.remove(keys)
        self._changed()

    async def snapshot(self) -> Mapping[str, str]:
        """Key → hash of all that is indexed."""
        return await self._rows.snapshot()

    async def search(self, request: SearchRequest) -> SearchResults:
        """Answers by words, and by meaning as far as the budget lets it; a reranker is asked for no prompt.

        Raises TimeoutError when the budget did not suffice for words, SearchUnavailable when Postgres cannot answer.
        """
        request = replace(request, text=request.text[:_LONGEST_QUESTION])
        deadline = monotonic() + request.budget * _SHARE
        most = max(request.depth, request.limit)
        meant = asyncio.create_task(self._by_meaning(request, most, deadline))
        try:
            by_words = await self._by_words(request, most, deadline)
            await asyncio.wait((meant,), timeout=max(0.0, deadline - monotonic()))
        finally:
            meant.cancel()
            meant.add_done_callback(_ignore)
        by_meaning, degraded = meant.result() if _has_result(meant) else ({}, _TOO_LONG)
        gate = request.gate or self._options.gate
        weights = self._weights
        if has_sign(request.text):
            weights = replace(weights, dense=weights.dense * SIGNED)
        reranker = None if request.is_prompt else self._reranker
        most = request.limit if reranker is None else max(request.limit, POOL)
        lessons = by_words[NODE], by_meaning.get(NODE, ())
        hits = fuse(*lessons, most, weights, lambda found: _strength(found, gate))
        told = [f"Found by words alone: {degraded}."] if degraded else []
        passages: Sequence[SearchHit] | None = ()
        if request.documents:  # before the reranker, which may take all the time that is left
            chosen = best(by_words[DOCUMENT], by_meaning.get(DOCUMENT, ()), request.documents, weights)
            passages = await self._read(chosen, max(deadline, monotonic() + request.budget * _READING))
            told += [] if passages is not None else ["Reading the documents took too long."]
        if reranker is not None:
            try:
                hits = await reranked(reranker, self._database, request.text, hits, deadline)
            except RerankerFailed as failure:
                told.append(f"Not reranked: {failure.sentence}.")
        hits = tuple(sorted((*hits[: max(0, request.limit)], *(passages or ())), key=lambda hit: -hit.score))
        if self.misses is not None and is_miss(request, hits):
            self.misses.note(request)
        return SearchResults(hits=hits, degraded=" ".join(told))

    async def nearest(self, item: SearchItem, limit: int) -> SearchResults:
        """The current nodes of its graph whose gists are most like that of ``item``, itself left out.

        Scores are one less the distance. Raises SearchUnavailable.
        """
        embedder, queue = self._meaning.embedder, self._meaning.queue
        if embedder is None or queue is None or not queue.dimensions:
            return SearchResults(degraded=self._problem() or "Nothing is embedded.")
        head = next(chunks(item))
        async with self._database.connection() as connection:
            vector: Vector | str | None = await similarity.kept(connection, item, head.digest, embedder.model)
        try:
            vector = vector or (await embedder.passages([head.content]))[0]
        except EmbedderFailed as failure:
            return SearchResults(degraded=failure.sentence)
        async with self._database.connection() as connection:
            found = await similarity.nearest(connection, item, vector, embedder.model, limit)
        hits = [SearchHit(key=each.key, graph=each.graph, id=each.id, score=each.merit) for each in found]
        return SearchResults(hits=tuple(hits))

    async def similar_groups(self, graph: str, limit: int) -> Sequence[Sequence[str]]:
        """Groups of keys of current nodes that say nearly the same, most alike first. Raises SearchUnavailable."""
        if self._meaning.embedder is None:
            return ()
        async with self._database.connection(similarity.SECONDS) as connection, connection.transaction():
            alike = await similarity.pairs(connection, graph, self._meaning.embedder.model, self._options.alike)
        return (await asyncio.to_thread(similarity.groups, alike))[:limit]

    async def health(self) -> Mapping[str, object]:
        """Rows, model and lag. Raises SearchUnavailable when Postgres does not answer."""
        rows, embedded = await self._count()
        told: dict[str, object] = {"rows": rows, "embedded": embedded}
        queue = self._meaning.queue
        if self._meaning.embedder is not None and queue is not None:
            told |= {"model": self._meaning.embedder.model, "dimensions": queue.dimensions, "lag": rows - embedded}
            told["vector index"] = queue.is_indexed
        if problem := self._problem():
            told["problem"] = problem
        return told

    async def close(self) -> None:
        """Lets go of connections, threads and the private Postgres. May be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._documents is not None:
            await self._documents.close()
        if self.misses is not None:
            await asyncio.to_thread(self.misses.close)
        if self._embedding is not None:
            self._embedding.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._embedding
        if self._meaning.embedder is not None:
            await self._meaning.embedder.close()
        if self._reranker is not None:
            await self._reranker.close()
        await asyncio.gather(self._database.close(), self._release())

    async def _count(self) -> tuple[int, int]:
        """How many rows there are, and how many the present model has embedded; of many, as it was a moment ago."""
        counted, rows, embedded = self._counted
        async with self._database.owned() as connection:
            if rows >= _MANY and monotonic() - counted < _COUNT_SECONDS:
                await connection.execute("select")
                return rows, embedded
            model = self._meaning.embedder.model if self._meaning.embedder is not None else None
            found = await connection.execute(
                "select count(*), count(*) filter (where model = coalesce(%s, model)) from chunk", [model]
            )
            rows, embedded = await found.fetchone() or (0, 0)
        self._counted = (monotonic(), rows, embedded)
        return rows, embedded

    def _changed(self) -> None:
        self._lexical.changed()
        if self._meaning.queue is not None:
            self._meaning.queue.wake()

    def _problem(self) -> str:
        """Why nothing, or not all, is found by meaning."""
        return self._meaning.problem or (self._meaning.queue.problem if self._meaning.queue is not None else "")

    async def _by_words(self, request: SearchRequest, most: int, deadline: float) -> Legs:
        left = max(0.001, deadline - monotonic())
        async with self._database.connection(left) as connection, connection.transaction():
            await set_timeout(connection, left)
            return {type_: await self._lexical.search(connection, request, most, type_) for type_ in _types(request)}

    async def _read(self, chosen: Sequence[SearchHit], deadline: float) -> Sequence[SearchHit] | None:
        """Passages with what they say; ``None`` when the time does not suffice for that."""
        left = max(0.001, deadline - monotonic())
        try:
            async with self._database.connection(left) as connection, connection.transaction():
                await set_timeout(connection, left)
                return await read(connection, chosen)
        except TimeoutError:
            return None

    async def _by_meaning(self, request: SearchRequest, most: int, deadline: float) -> tuple[Legs, str]:
        """What is found, and why nothing, or not all, is. Raises SearchUnavailable."""
        embedder, queue = self._meaning.embedder, self._meaning.queue
        if embedder is None or queue is None:
            return {}, self._meaning.problem
        if not queue.dimensions or not request.text.strip():
            return {}, queue.problem
        try:
            vector = await embedder.query(request.text[:LONGEST])
        except EmbedderFailed as failure:
            return {}, failure.sentence
        if len(vector) != queue.dimensions:
            return {}, f"the question has {len(vector)} dimensions and what is stored has {queue.dimensions}"
        left = max(0.001, deadline - monotonic())
        try:
            async with self._database.connection(left) as connection, connection.transaction():
                await set_timeout(connection, left)
                found = {
                    type_: await dense.search(connection, request, vector, most, type_) for type_ in _types(request)
                }
                return found, queue.problem
        except TimeoutError:
            return {}, _TOO_LONG


def _types(request: SearchRequest) -> tuple[str, ...]:
    """What is looked for: lessons, and documents where they are asked for."""
    return (NODE, DOCUMENT) if request.documents else (NODE,)


def _has_result(task: asyncio.Task[tuple[Legs, str]]) -> bool:
    return task.done() and not task.cancelled()


def _ignore(task: asyncio.Task[tuple[Legs, str]]) -> None:
    """Nobody waits for this any more; its failure is not news."""
    if not task.cancelled():
        task.exception()


def _strength(found: Found, gate: float) -> float:
    """What a node is worth to the gate of prompt recall by its meaning: 1 within the distance that was measured."""
    return 1.0 if gate and 1.0 - found.merit <= gate else 0.0
