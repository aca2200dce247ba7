"""Each depth of a search returns exactly what was labelled, whichever index finds the first part of it."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.model import Graph
from kg_core.model.codec import read_edge, read_node
from kg_core.policy import Depth, Index, at_depth, deepened, item, ranked
from kg_core.render import standing
from kg_plugin_testing import evidence

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from kg_core.policy import Deep
    from kg_plugin_api import SearchBackend, SearchHit, SearchItem, SearchRequest, SearchResults

    Asked = SearchBackend | "Builtin"
    Opening = Callable[[Path], AbstractAsyncContextManager[Asked]]

EXAMPLE = Path(__file__).parents[1] / "examples" / "search-sqlite" / "src"
FIXED = [depth for depth in Depth if depth is not Depth.AUTO]


def graphs() -> list[Graph]:
    found = []
    for key, content in evidence.graphs().items():
        nodes = {name: read_node(name, record) for name, record in content["nodes"].items()}
        edges = [edge for record in content["edges"] if (edge := read_edge(record)) is not None]
        found.append(Graph.build(key, nodes=nodes, edges={edge.key: edge for edge in edges}))
    return found


class Builtin:
    """The built-in index, asked as a backend is."""

    def __init__(self) -> None:
        self._index = Index()

    async def upsert(self, items: Sequence[SearchItem]) -> None:
        self._index.upsert(items)

    async def search(self, request: SearchRequest) -> SearchResults:
        return self._index.search(request)


@contextlib.asynccontextmanager
async def builtin(_: Path) -> AsyncIterator[Asked]:
    yield Builtin()


@contextlib.asynccontextmanager
async def sqlite(folder: Path) -> AsyncIterator[SearchBackend]:
    sys.path.append(str(EXAMPLE))
    try:
        from kg_search_sqlite.backend import SqliteBackend
    finally:
        sys.path.remove(str(EXAMPLE))
    backend = await SqliteBackend.open({"home": str(folder)})
    try:
        yield backend
    finally:
        await backend.close()


@contextlib.asynccontextmanager
async def postgres(folder: Path) -> AsyncIterator[SearchBackend]:
    from kg_search_pg.opening import open_backend
    from kg_search_pg.options import Options

    backend = await open_backend(Options(home=folder, embedder="none"))
    try:
        yield backend
    finally:
        await backend.close()


async def answered(opening: Opening, folder: Path, depths: list[Depth]) -> list[tuple[Any, Deep, list[SearchHit]]]:
    """The way of kg_search: the backend's hits, weighed and ranked by ours, and what comes with them."""
    levels = graphs()
    told = [
        item(graph.key, node, graph.use_of(name), standing(graph, name))
        for graph in levels
        for name, node in graph.nodes.items()
    ]
    index = Index()
    index.upsert(told)
    found = []
    async with opening(folder) as backend:
        await backend.upsert(told)
        for question in evidence.questions():
            for depth in depths:
                request = at_depth(question.request, depth)
                results = index.weighed(request, await backend.search(request))
                hits = list(ranked(results, levels, request).hits)
                found.append((question, deepened(hits, levels, request, depth), hits))
    return found


OPENINGS = [builtin, sqlite, pytest.param(postgres, marks=pytest.mark.slow)]


@pytest.mark.parametrize("opening", OPENINGS)
def test_each_depth_returns_exactly_what_was_labelled(opening: Opening, tmp_path: Path) -> None:
    for question, deep, hits in asyncio.run(answered(opening, tmp_path, FIXED)):
        named = [*((hit.graph, hit.id) for hit in hits), *deep.grounds.places]
        assert len(named) == len(set(named))
        assert set(named) == question.answers[deep.depth], (question.request.text, deep.depth)
        assert deep.reason == ""
        if deep.depth is Depth.ANCESTRY:
            assert (deep.grounds.withheld, deep.grounds.is_cut) == (question.withheld, question.more)
        among = {f"user:{name}" if graph == "user" else name for graph, name in named} | {name for _, name in named}
        assert all({edge.source, edge.target} <= among for _, edge in deep.grounds.edges)


@pytest.mark.parametrize("opening", OPENINGS)
def test_auto_chooses_the_labelled_depth_and_says_why(opening: Opening, tmp_path: Path) -> None:
    for question, deep, hits in asyncio.run(answered(opening, tmp_path, [Depth.AUTO])):
        assert deep.depth == question.auto, (question.request.text, [(hit.id, hit.strength) for hit in hits])
        named = [*((hit.graph, hit.id) for hit in hits), *deep.grounds.places]
        assert set(named) == question.answers[deep.depth]
        assert deep.reason
        assert not hits or hits[0].id in deep.reason or deep.depth is Depth.EXPLICIT
