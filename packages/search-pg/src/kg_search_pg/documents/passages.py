"""From what the legs found of documents to the passages of an answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kg_plugin_api import Passage
from kg_search_pg.fusion import fuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import AsyncConnection

    from kg_plugin_api import SearchHit
    from kg_search_pg.fusion import Found, Weights

PER_DOCUMENT: Final = 2
"""So many passages of one document are shown: who wants more reads the file."""
_READ: Final = "select key, item, line, content, heading, kind from chunk where key = any(%s)"


def best(by_words: Sequence[Found], by_meaning: Sequence[Found], most: int, weights: Weights) -> list[SearchHit]:
    """The best passages, fused as nodes are and apart from them: no document moves a lesson."""
    of: Counter[tuple[str, str]] = Counter()
    chosen: list[SearchHit] = []
    for hit in fuse(by_words, by_meaning, len(by_words) + len(by_meaning), weights):
        if len(chosen) == most:
            break
        if of[hit.graph, hit.id] < PER_DOCUMENT:
            of[hit.graph, hit.id] += 1
            chosen.append(hit)
    return chosen


async def read(connection: AsyncConnection[Any], hits: Sequence[SearchHit]) -> list[SearchHit]:
    """The hits with what they say; those that are gone meanwhile are left out."""
    cursor = await connection.execute(_READ, [[hit.key for hit in hits]])
    found = {
        key: Passage(path=path, line=line, text=text, heading=heading, kind=kind)
        for key, path, line, text, heading, kind in await cursor.fetchall()
    }
    return [replace(hit, passage=found[hit.key]) for hit in hits if hit.key in found]
