"""Writing and comparing the rows of nodes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.chunks import chunks, vector
from kg_search_pg.database import hold
from kg_search_pg.words import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kg_plugin_api import SearchItem
    from kg_search_pg.chunks import Chunk
    from kg_search_pg.database import Database
    from kg_search_pg.stems import Stem, Stems

_SLICE: Final = 20
"""Nodes that are taken apart and written at a time: the loop is free between two slices."""
_PAGE: Final = 1_000

_UPSERT: Final = """
    insert into chunk (key, ordinal, graph, item, level, tier, status, kind, tags, observer, observed, hash, digest,
        content, words)
    values (%(key)s, %(ordinal)s, %(graph)s, %(item)s, %(level)s, %(tier)s, %(status)s, %(kind)s, %(tags)s,
        %(observer)s, %(observed)s, %(hash)s, %(digest)s, %(content)s,
        %(words)s::tsvector)
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

    def __init__(self, database: Database, stems: Stems) -> None:
        self._database = database
        self._stems = stems

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        """Replaces by key; the last of equal keys wins."""
        last = list({item.key: item for item in items}.values())
        for start in range(0, len(last), _SLICE):
            part = last[start : start + _SLICE]
            pairs = await asyncio.to_thread(_taken_apart, part)
            lengths: dict[str, int] = {}
            for item, chunk in pairs:
                lengths[clean(item.key)] = max(lengths.get(clean(item.key), 0), chunk.ordinal)
            async with self._database.owned() as connection:
                stems = await self._stems.of(connection, {term for _, chunk in pairs for _, term in chunk.marked})
                rows = await asyncio.to_thread(_rows, pairs, stems)
                await hold(connection, "key = any(%s)", [list(lengths)])
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
            cleaned = [clean(key) for key in keys]
            async with self._database.owned() as connection:
                await hold(connection, "key = any(%s)", [cleaned])
                await connection.execute("delete from chunk where key = any(%s)", [cleaned])

    async def snapshot(self) -> dict[str, str]:
        """Key → hash of all that is indexed."""
        found: dict[str, str] = {}
        async with self._database.owned() as connection, connection.cursor("snapshot") as cursor:
            await cursor.execute("select key, hash from chunk where ordinal = 0 and type = 'node'")
            while page := await cursor.fetchmany(_PAGE):
                found.update((key, digest.decode("utf-8", "surrogatepass")) for key, digest in page)
        return found


def _taken_apart(items: Sequence[SearchItem]) -> list[tuple[SearchItem, Chunk]]:
    return [(item, chunk) for item in items for chunk in chunks(item)]


def _rows(pairs: Sequence[tuple[SearchItem, Chunk]], stems: Mapping[str, Stem]) -> list[dict[str, Any]]:
    return [
        {
            "key": clean(item.key),
            "ordinal": chunk.ordinal,
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
            "digest": chunk.digest,
            "content": chunk.content,
            "words": vector(chunk.marked, stems),
        }
        for item, chunk in pairs
    ]
