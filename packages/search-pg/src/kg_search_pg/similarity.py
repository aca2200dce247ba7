"""What says nearly the same: the nearest to one node, and groups in a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.database import set_timeout
from kg_search_pg.embedding import written
from kg_search_pg.fusion import Found
from kg_search_pg.words import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from psycopg import AsyncConnection

    from kg_plugin_api import SearchItem
    from kg_search_pg.embedding import Vector

MOST: Final = 6
"""So many nodes a group has at most: nobody can merge more at a time."""
_NEIGHBOURS: Final = MOST
"""Of each node, so many nearest ones are looked at."""

_VECTOR: Final = "select embedding::text from chunk where key = %s and ordinal = 0 and digest = %s and model = %s"
_NEAREST: Final = """
    select key, graph, item, status, embedding <=> %(vector)s::vector as distance from chunk
    where ordinal = 0 and type = 'node' and model = %(model)s and graph = %(graph)s and key <> %(key)s
        and status = 'current'
    order by distance, key limit %(most)s
"""
_PAIRS: Final = """
    with gist as materialized (
        select key, subvector(embedding, 1, vector_dims(embedding)) as embedding from chunk
        where ordinal = 0 and type = 'node' and model = %(model)s and graph = %(graph)s and status = 'current'
    )
    select one.key, other.key, other.distance from gist as one cross join lateral (
        select key, embedding <=> one.embedding as distance from gist where key <> one.key
        order by distance limit %(neighbours)s
    ) as other where other.distance <= %(alike)s
"""
"""Each with each, of copies: a vector is kept apart from its row, and fetching it takes longer than comparing it."""
SECONDS: Final = 600.0
"""How long that may take: of ten thousand nodes each is compared with each."""
_ROOM: Final = "64MB"


async def kept(connection: AsyncConnection[Any], item: SearchItem, digest: bytes, model: str) -> str | None:
    """The vector of a node's gist as it is kept; ``None`` when that of this text is not."""
    row = await (await connection.execute(_VECTOR, [clean(item.key), digest, model])).fetchone()
    return str(row[0]) if row else None


async def nearest(
    connection: AsyncConnection[Any], item: SearchItem, vector: Vector | str, model: str, most: int
) -> list[Found]:
    """The current nodes of the same graph whose gists are nearest, itself left out."""
    cursor = await connection.execute(
        _NEAREST,
        {
            "vector": vector if isinstance(vector, str) else written(vector),
            "model": model,
            "graph": clean(item.graph),
            "key": clean(item.key),
            "most": most,
        },
    )
    return [
        Found(key=key, graph=graph, id=node, status=status, merit=round(1.0 - distance, 6))
        for key, graph, node, status, distance in await cursor.fetchall()
    ]


async def pairs(connection: AsyncConnection[Any], graph: str, model: str, alike: float) -> dict[tuple[str, str], float]:
    """Pairs of nodes of a graph that are at most so far from each other, with their distances, within a transaction."""
    await set_timeout(connection, SECONDS)
    await connection.execute("select set_config('work_mem', %s, true)", [_ROOM])
    cursor = await connection.execute(
        _PAIRS, {"neighbours": _NEIGHBOURS, "model": model, "graph": clean(graph), "alike": alike}
    )
    return {(min(one, other), max(one, other)): distance for one, other, distance in await cursor.fetchall()}


def groups(alike: Mapping[tuple[str, str], float], most: int = MOST) -> list[list[str]]:
    """Groups in which all are alike, none in two, the most alike first.

    Each with each: where likeness is only handed on, a chain soon holds everything.
    """
    neighbours: dict[str, set[str]] = {}
    for one, other in alike:
        neighbours.setdefault(one, set()).add(other)
        neighbours.setdefault(other, set()).add(one)
    found: list[list[str]] = []
    of: dict[str, list[str]] = {}
    for (one, other), _ in sorted(alike.items(), key=lambda pair: (pair[1], pair[0])):
        if one in of and other in of:
            continue
        if one not in of and other not in of:
            group = [one, other]
            found.append(group)
            of[one] = of[other] = group
            continue
        group, joining = (of[one], other) if one in of else (of[other], one)
        if len(group) < most and _fits(joining, group, neighbours):
            group.append(joining)
            of[joining] = group
    return found


def _fits(joining: str, group: Iterable[str], neighbours: Mapping[str, set[str]]) -> bool:
    return neighbours[joining].issuperset(group)
