"""What the clauses about search share: a backend that is open while a script runs, items, and questions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from kg_plugin_api import SearchItem, SearchRequest
from kg_plugin_testing.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from kg_plugin_api import SearchBackend, SearchResults

    Open = Callable[[], Awaitable[SearchBackend]]


def item(name: str, text: str, *, graph: str = "user", **more: Any) -> SearchItem:
    """One node named ``name`` whose gist is ``text``."""
    fields: dict[str, Any] = {"id": name, "gist": text, "hash": f"{name} {text}", **more}
    return SearchItem(key=f"{graph}\x1f{name}", graph=graph, **fields)


def ask(text: str, *, graphs: tuple[str, ...] = ("user",), **more: Any) -> SearchRequest:
    """A request for ``text``."""
    return SearchRequest(text=text, graphs=graphs, **more)


def ids(results: SearchResults) -> list[str]:
    """The ids of the hits, best first."""
    return [hit.id for hit in results.hits]


class OpenedBackend(Contract):
    """Base of the suites for search backends."""

    @pytest.fixture
    def open_backend(self) -> Open:
        """Opens an empty backend; called once per clause or oftener."""
        raise NotImplementedError("give a fixture `open_backend`")

    def run(self, open_backend: Open, script: Callable[[SearchBackend], Coroutine[Any, Any, None]]) -> None:
        """Runs ``script`` with a backend that is closed afterwards."""

        async def main() -> None:
            backend = await open_backend()
            try:
                await script(backend)
            finally:
                await backend.close()

        asyncio.run(main())
