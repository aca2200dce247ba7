"""Writing and comparing the rows of nodes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.chunks import NOTE, TITLE, chunks
from kg_search_pg.words import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kg_plugin_api import SearchItem
    from kg_search_pg.database import Database

_SLICE: Final = 20
"""Nodes that are taken apart and written at a time: the loop is free between two slices."""
_PAGE: Final = 1_000

_UPSERT: Final = f"""
    insert into chunk (key, ordinal, graph, item, level, tier, status, kind, tags, observer, observed, hash, digest,
        content, words)
    values (%(key)s, %(ordinal)s, %(graph)s, %(item)s, %(level)s, %(tier)s, %(status)s, %(kind)s, %(tags)s,
        %(observer)s, %(observed)s, %(hash)s, %(digest)s, %(content)s,
        %(words)s::tsvector || setweight(to_tsvector(%(language)s::regconfig, %(title)s), '{TITLE}')
        || setweight(to_tsvector(%(language)s::regconfig, %(note)s), '{NOTE}'))
    on conflict (key, ordinal) do update set
        graph = excluded.graph, item = excluded.item, level = excluded.level, tier = excluded.tier,
        status = excluded.status, kind = excluded.kind, tags = excluded.tags, observer = excluded.observer,
        observed = excluded.observed, hash = excluded.hash, content = excluded.content,
        model = case when chunk.digest = excluded.digest then chunk.model end, digest = excluded.digest,
        words = case when chunk.words = excluded.words then chunk.words else excluded.words end
"""
"""A text that is embedded as it stands keeps its vector: ``model`` is empty where none, or another text's, is there."""


class Rows:
    """The rows of all nodes. All methods raise SearchUnavailable."""

    def __init__(self, database: Database, language: str) -> None:
        self._database = database
        self._language = language

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        """Replaces by key; the last of equal keys wins."""
        last = list({item.key: item for item in items}.values())
        for start in range(0, len(last), _SLICE):
            part = last[start : start + _SLICE]
            rows = await asyncio.to_thread(self._rows, part)
            lengths = {str(row["key"]): int(row["ordinal"]) for row in rows}
            async with self._database.connection() as connection, connection.transaction():
                cursor = connection.cursor()
                await cursor.executemany(_UPSERT, rows)
                await cursor.execute(
                    "delete from chunk using unnest(%s::text[], %s::int[]) as kept (key, last)"
                    " where chunk.key = kept.key and chunk.ordinal > kept.last",
                    [list(lengths), list(lengths.values())],
                )

    async def remove(self, keys: Sequence[str]) -> None:
        """Forgets keys; unknown ones are ignored."""
        if keys:
            async with self._database.connection() as connection:
                await connection.execute("delete from chunk where key = any(%s)", [[clean(key) for key in keys]])

    async def snapshot(self) -> dict[str, str]:
        """Key → hash of all that is indexed."""
        found: dict[str, str] = {}
        async with (
            self._database.connection() as connection,
            connection.transaction(),
            connection.cursor("snapshot") as cursor,
        ):
            await cursor.execute("select key, hash from chunk where ordinal = 0")
            while page := await cursor.fetchmany(_PAGE):
                found.update((key, digest.decode("utf-8", "surrogatepass")) for key, digest in page)
        return found

    def _rows(self, items: Sequence[SearchItem]) -> list[dict[str, Any]]:
        return [row for item in items for row in self._of(item)]

    def _of(self, item: SearchItem) -> Iterator[dict[str, Any]]:
        shared = {
            "key": clean(item.key),
            "graph": clean(item.graph),
            "item": clean(item.id),
            "level": item.graph.partition(":")[0],
            "tier": item.tier,
            "status": item.status,
            "kind": item.kind,
            "tags": [clean(tag) for tag in item.tags],
            "observer": clean(item.observer),
            "observed": clean(item.observed),
            "hash": item.hash.encode("utf-8", "surrogatepass"),
            "language": self._language,
        }
        for chunk in chunks(item):
            yield {
                **shared,
                "ordinal": chunk.ordinal,
                "digest": chunk.digest,
                "content": chunk.content,
                "words": chunk.words,
                "title": chunk.title,
                "note": chunk.note,
            }
