"""The leg by meaning: nodes whose vectors point where that of the question does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from psycopg import sql

from kg_search_pg.embedding import written
from kg_search_pg.filters import ALLOWED, NODE, parameters
from kg_search_pg.fusion import Found

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from kg_plugin_api import SearchRequest
    from kg_search_pg.embedding import Vector

_CHUNKS: Final = 2
"""Rows that are looked at for each node that is wanted: a node has several."""
_SEARCH: Final = f"""
    select key, graph, item, status, distance from (
        select key, graph, item, status, embedding <=> %(vector)s::vector as distance
        from chunk where model is not null and {ALLOWED}
        order by embedding::halfvec({{dimensions}}) <=> %(vector)s::halfvec({{dimensions}})
        limit %(rows)s
    ) as nearest order by distance, key
"""
"""Looked up by numbers of half the length, as they are indexed; compared by whole ones."""


async def search(
    connection: AsyncConnection[Any], request: SearchRequest, vector: Vector, most: int, type_: str = NODE
) -> list[Found]:
    """At most so many items of a type, nearest first; ``merit`` is one less the cosine distance of the nearest row."""
    rows = most * _CHUNKS
    if not request.graphs:
        return []
    await connection.execute(
        "select set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)",
        [str(min(1_000, rows + rows // 2))],
    )
    cursor = await connection.execute(
        sql.SQL(_SEARCH).format(dimensions=sql.Literal(len(vector))),
        {**parameters(request, type_), "vector": written(vector), "rows": rows},
    )
    nearest: dict[str, Found] = {}
    for key, graph, item, status, distance in await cursor.fetchall():
        nearest.setdefault(key, Found(key=key, graph=graph, id=item, status=status, merit=round(1.0 - distance, 6)))
    return list(nearest.values())[:most]
