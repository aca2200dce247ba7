"""What says nearly the same."""

from __future__ import annotations

import asyncio
from itertools import combinations
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kg_plugin_api import SearchItem, SupportsSimilarity
from kg_search_pg import similarity
from kg_search_pg.similarity import groups

if TYPE_CHECKING:
    import pytest

pairs = st.dictionaries(
    st.sampled_from(list(combinations("abcdefghij", 2))), st.floats(0, 1, allow_nan=False), max_size=30
)


def node(name: str, gist: str, graph: str = "user", **more: Any) -> SearchItem:
    return SearchItem(key=f"{graph}\x1f{name}", graph=graph, id=name, gist=gist, hash=gist, **more)


def embedded(health: dict[str, Any]) -> bool:
    return health["rows"] > 0 and health["lag"] == 0


def test_the_nearest_are_current_nodes_of_the_same_graph_but_not_itself(opened: Any, until: Any, endpoint: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            assert isinstance(backend, SupportsSimilarity)
            await backend.upsert(
                [
                    node("a", "automobile"),
                    node("b", "car"),
                    node("c", "kettle", notes=("car",)),
                    node("d", "vehicle", graph="project:x"),
                    node("e", "vehicle", status="retracted"),
                ]
            )
            await until(backend, embedded)
            endpoint.texts.clear()

            known = await backend.nearest(node("a", "automobile"), 5)
            new = await backend.nearest(node("new", "vehicle"), 1)

            assert [hit.id for hit in known.hits] == ["b", "c"]
            assert known.hits[0].score > 0.99 > known.hits[1].score
            assert [hit.id for hit in new.hits] == ["a"]
            assert endpoint.texts == ["vehicle"], "what is kept is not embedded again"

    asyncio.run(main())


def test_groups_may_take_longer_than_any_write(opened: Any, until: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_search_pg.database.WRITE_SECONDS", 1.0)
    rows = "where ordinal = 0 and type = 'node'"
    slow = similarity._PAIRS.replace(rows, f"{rows} and pg_sleep(0.8) is not null", 1)

    async def main() -> None:
        async with opened() as backend:
            await backend.upsert([node("a", "automobile"), node("b", "car"), node("c", "kettle")])
            await until(backend, embedded)
            monkeypatch.setattr(similarity, "_PAIRS", slow)

            assert [sorted(group) for group in await backend.similar_groups("user", 5)] == [["user\x1fa", "user\x1fb"]]

    asyncio.run(main())


def test_without_vectors_there_is_no_nearest_and_it_says_why(opened: Any) -> None:
    async def main() -> None:
        async with opened(embedder="none") as backend:
            await backend.upsert([node("a", "automobile")])

            assert (await backend.nearest(node("b", "car"), 3)).degraded
            assert await backend.similar_groups("user", 3) == ()

    asyncio.run(main())


def test_groups_of_one_graph_that_say_the_same_come_most_alike_first(opened: Any, until: Any) -> None:
    async def main() -> None:
        async with opened() as backend:
            same = [node("a", "automobile"), node("b", "car"), node("c", "boat house"), node("d", "ship house")]
            await backend.upsert([*same, node("e", "kettle"), node("f", "car", graph="project:x")])
            await until(backend, embedded)

            found = await backend.similar_groups("user", 5)

            assert sorted(map(sorted, found)) == [["user\x1fa", "user\x1fb"], ["user\x1fc", "user\x1fd"]]
            assert len(await backend.similar_groups("user", 1)) == 1

    asyncio.run(main())


@given(pairs, st.integers(2, 6))
def test_in_a_group_each_is_like_each(alike: dict[tuple[str, str], float], most: int) -> None:
    found = groups(alike, most)

    assert all(2 <= len(group) <= most for group in found)
    assert all((min(pair), max(pair)) in alike for group in found for pair in combinations(group, 2))
    members = [key for group in found for key in group]
    assert len(members) == len(set(members))
    first = [min(alike[min(pair), max(pair)] for pair in combinations(group[:2], 2)) for group in found]
    assert first == sorted(first)
