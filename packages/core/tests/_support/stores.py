"""Stores on real files: opened, filled, read, killed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_core.store import Places, Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from kg_core.model import Graph, Node
    from kg_core.store import Home, Problem


async def opened(home: Home, **more: Any) -> Store:
    return await Store.open(home, places=Places(Path("/home/nobody"), ()), **more)


async def served(home: Home, key: str = "user", **more: Any) -> Store:
    """An open store that has read a graph."""
    store = await opened(home, **more)
    await store.load(key)
    return store


async def killed(store: Store) -> None:
    """What a SIGKILL leaves: nothing is finished, the lock is free."""
    for task in store._tasks:
        task.cancel()
    await asyncio.wait(store._tasks)
    store._lock.release()


async def written(home: Home, values: ModuleType, *nodes: Node, key: str = "user", **more: Any) -> None:
    """A store that was filled and closed."""
    store = await served(home, key)
    await store.commit(values.put(*nodes, graph=key, **more))
    await store.close()


async def saved(home: Home, values: ModuleType, *nodes: Node) -> Store:
    """An open store that has written these lessons of the user into its file."""
    store = await served(home)
    await store.commit(values.put(*nodes))
    await store.snapshot()
    return store


async def loaded(home: Home, key: str = "user") -> tuple[Graph, tuple[Problem, ...]]:
    """A graph as it is read from the files, with the problems that there were."""
    store = await opened(home)
    graph = await store.load(key)
    await store.close()
    return graph, store.problems()


def edited(home: Home, change: Callable[[dict[str, Any]], object], key: str = "user") -> None:
    """Changes the file of a graph as a person would, who knows nothing of kg."""
    document = json.loads(home.graph(key).read_text("utf-8"))
    change(document)
    home.graph(key).write_text(json.dumps(document), encoding="utf-8")
