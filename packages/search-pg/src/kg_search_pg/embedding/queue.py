"""What has no vector yet: the rows themselves are the queue, so nothing is lost and nothing done twice."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from psycopg import sql

from kg_plugin_api import SearchUnavailable
from kg_search_pg.database import WRITE_SECONDS, set_timeout
from kg_search_pg.embedding.protocol import EmbedderFailed, written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_search_pg.database import Database
    from kg_search_pg.embedding.protocol import Embedder, Vector

log = logging.getLogger(__name__)

_BATCH: Final = 16
_NEXT: Final = """
    select id, digest, content from chunk where id in (
        (select id from chunk where model is null and id <> all(%(refused)s) order by id limit %(half)s)
        union
        (select id from chunk where model is null and id <> all(%(refused)s) order by id desc limit %(half)s)
    ) order by id
"""
"""From both ends: neither what is new nor what was there before and changed waits for all of a bulk."""
_FORGET: Final = 5_000
_LEFT: Final = "select vector_dims(embedding) from chunk where model = %s and embedding is not null limit 1"
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_IDLE_SECONDS: Final = 30.0
_INDEXED: Final = 2_000
"""Fewer vectors are compared one by one: that is exact, and takes a millisecond."""
_INDEX_SECONDS: Final = 4 * 3_600.0
"""A million rows take ten minutes on an idle machine, and many times as long on a busy one."""
_ROOM: Final = 8
"""Bytes that an index takes for each number of a vector while it is built; beyond its room it takes many times as
long."""
_LEAST_ROOM: Final = 64 * 1024 * 1024
_MOST_ROOM: Final = 2 * 1024 * 1024 * 1024
_NOTE: Final = "insert into note values (%s, %s) on conflict (name) do update set value = excluded.value"
_MOST_DIMENSIONS: Final = 4_000
"""Longer vectors cannot be indexed and are compared one by one."""
INDEX: Final = "chunk_halves"
"""Over numbers of half the length: little more than half as large, and of the nearest rows it finds as many."""


class Queue:
    """Embeds what lacks a vector, in batches, outside of every write. All state is in the rows."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._news = asyncio.Event()
        self._refused: set[int] = set()
        self._pause = _FIRST_PAUSE
        self.dimensions = 0
        """Of the vectors that are kept; 0 while there are none."""
        self.problem = ""
        """Why the last batch failed; empty while all is well."""
        self.is_indexed = False
        """Whether an index over the vectors is there."""

    def wake(self) -> None:
        """Rows came."""
        self._news.set()

    async def open(self) -> None:
        """Learns what is kept; vectors of another model are forgotten. Raises SearchUnavailable."""
        async with self._database.connection() as connection:
            model, dimensions = await self._kept()
            if model != self._embedder.model:
                await connection.execute(sql.SQL("drop index if exists {}").format(sql.Identifier(INDEX)))
                await connection.execute("delete from note where name = 'dimensions'")
                await connection.execute(_NOTE, ["model", self._embedder.model])
                dimensions = 0
            # A model that comes back before all of its vectors were forgotten finds some, and no note.
            if not dimensions:
                left = await connection.execute(_LEFT, [self._embedder.model])
                (dimensions,) = await left.fetchone() or (0,)
            self.dimensions = dimensions
            row = await (
                await connection.execute(
                    "select exists (select from pg_index where indexrelid = to_regclass(%s) and indisvalid)", [INDEX]
                )
            ).fetchone()
            self.is_indexed = bool(row and row[0])

    async def run(self) -> None:
        """Embeds until it is cancelled; never raises otherwise."""
        while True:
            self._news.clear()
            try:
                if await self._forget() or await self._step():
                    self.problem, self._pause = "", _FIRST_PAUSE
                    continue
                await self._index()
                self.problem, self._pause = "", _FIRST_PAUSE
                seconds = _IDLE_SECONDS
            except (EmbedderFailed, SearchUnavailable, TimeoutError) as failure:
                if not self.problem:
                    log.warning("Embedding pauses: %s", failure)
                self.problem = str(failure).rstrip(".")
                seconds, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
                await asyncio.sleep(seconds)
                continue
            news = asyncio.ensure_future(self._news.wait())
            try:
                await asyncio.wait((news,), timeout=seconds)
            finally:
                news.cancel()

    async def _kept(self) -> tuple[str, int]:
        """The model and the dimensions of the vectors that are kept."""
        async with self._database.connection() as connection:
            notes = dict(await (await connection.execute("select name, value from note")).fetchall())
        return notes.get("model", ""), int(notes.get("dimensions", "0"))

    async def _forget(self) -> bool:
        """Forgets some vectors of another model; false when there are none."""
        async with self._database.connection() as connection:
            done = await connection.execute(
                "update chunk set model = null, embedding = null where id in"
                " (select id from chunk where model <> %s order by id limit %s for update)",
                [self._embedder.model, _FORGET],
            )
        return done.rowcount > 0

    async def _step(self) -> bool:
        """Embeds one batch; false when nothing is left."""
        async with self._database.connection() as connection:
            found = await connection.execute(_NEXT, {"refused": list(self._refused), "half": _BATCH // 2})
            rows = await found.fetchall()
        if not rows:
            return False
        try:
            await self._keep(rows, await self._embedder.passages([content for _, _, content in rows]))
        except EmbedderFailed as failure:
            if not failure.is_text:
                raise
            await self._one_by_one(rows)
        return True

    async def _one_by_one(self, rows: Sequence[tuple[int, bytes, str]]) -> None:
        """A text that the embedder refuses keeps no other from being embedded."""
        for row in rows:
            try:
                await self._keep([row], await self._embedder.passages([row[2]]))
            except EmbedderFailed as failure:
                if not failure.is_text:
                    raise
                self._refused.add(row[0])

    async def _keep(self, rows: Sequence[tuple[int, bytes, str]], vectors: Sequence[Vector]) -> None:
        """Stores vectors with the rows that still say what was embedded."""
        dimensions = len(vectors[0])
        async with self._database.owned() as connection:
            if not self.dimensions:
                await connection.execute(_NOTE, ["dimensions", str(dimensions)])
            elif dimensions != self.dimensions:
                raise EmbedderFailed(
                    f"the embedder answers with {dimensions} dimensions and what is stored has {self.dimensions}; "
                    "`kg pg reindex` makes all vectors anew"
                )
            await connection.cursor().executemany(
                "update chunk set embedding = %s, model = %s where id = %s and digest = %s",
                [
                    (written(vector), self._embedder.model, number, digest)
                    for (number, digest, _), vector in zip(rows, vectors, strict=True)
                ],
            )
        self.dimensions = dimensions

    async def _index(self) -> None:
        """Builds the index once there is enough: after the bulk, because row by row takes many times as long."""
        if self.is_indexed or not 0 < self.dimensions <= _MOST_DIMENSIONS:
            return
        async with self._database.connection(_INDEX_SECONDS) as connection:
            row = await (await connection.execute("select count(*) from chunk where model is not null")).fetchone()
            if not row or row[0] < _INDEXED:
                return
            await set_timeout(connection, _INDEX_SECONDS, is_local=False)
            room = min(_MOST_ROOM, max(_LEAST_ROOM, row[0] * self.dimensions * _ROOM))
            await connection.execute("select set_config('maintenance_work_mem', %s, false)", [f"{room // 1024}kB"])
            try:
                await connection.execute(sql.SQL("drop index if exists {}").format(sql.Identifier(INDEX)))
                await connection.execute(
                    sql.SQL("create index concurrently {} on chunk using hnsw ((embedding::halfvec({})) {})").format(
                        sql.Identifier(INDEX), sql.Literal(self.dimensions), sql.SQL("halfvec_cosine_ops")
                    )
                )
            finally:
                await connection.execute("reset maintenance_work_mem")
                await set_timeout(connection, WRITE_SECONDS, is_local=False)
        self.is_indexed = True
