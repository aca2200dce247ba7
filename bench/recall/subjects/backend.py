"""kg with the search backend of a plug-in, asked as the server asks it but for the time that it may take."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_core.host import Plugins
from kg_core.model import Use
from kg_core.policy import item
from kg_core.render import standing
from subjects.kg import Kg

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kg_core.model import Graph
    from kg_plugin_api import SearchBackend, SearchRequest, SearchResults

_PATIENCE: Final = 60.0
"""Seconds for an answer: what is measured here is what is found, not on how busy a machine."""
_BATCH: Final = 200
_LOOK_SECONDS: Final = 0.2


class KgOver(Kg):
    """The ranking of ``kg_search`` and the decision of the prompt hook over what a backend finds."""

    def __init__(self, graphs: Mapping[str, Graph], backend: SearchBackend, name: str, runner: asyncio.Runner) -> None:
        super().__init__(graphs)
        self.title = f"kg, {name}"
        self._backend = backend
        self._runner = runner

    def _search(self, request: SearchRequest) -> SearchResults:
        results = self._runner.run(self._backend.search(replace(request, budget=_PATIENCE)))
        if results.degraded:
            raise RuntimeError(results.degraded)
        return self._index.weighed(request, results)


@contextlib.contextmanager
def over(graphs: Mapping[str, Graph], name: str, options: Mapping[str, str]) -> Iterator[KgOver]:
    """kg with the backend of that name over these graphs, in a scratch folder; it ends with the block.

    Raises SystemExit when no plug-in offers it.
    """
    factories = {factory.name: factory for factory in Plugins.load().search_backends}
    if name not in factories:
        raise SystemExit(f"No plug-in offers the search backend {name!r}; there are: {', '.join(factories)}.")
    with tempfile.TemporaryDirectory(prefix="kg-bench-") as folder, asyncio.Runner() as runner:
        backend = runner.run(factories[name].open({**options, "home": folder}))
        try:
            began = time.monotonic()
            runner.run(_told(backend, graphs))
            while (health := dict(runner.run(backend.health()))).get("lag"):
                runner.run(asyncio.sleep(_LOOK_SECONDS))
            print(f"{name} was ready after {time.monotonic() - began:.1f} s: {health}\n")
            yield KgOver(graphs, backend, name, runner)
        finally:
            runner.run(backend.close())


async def _told(backend: SearchBackend, graphs: Mapping[str, Graph]) -> None:
    items = [
        item(graph.key, node, Use(), standing(graph, node_id))
        for graph in graphs.values()
        for node_id, node in graph.nodes.items()
    ]
    for start in range(0, len(items), _BATCH):
        await backend.upsert(items[start : start + _BATCH])
