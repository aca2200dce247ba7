"""A person at an editor: what they may make of a graph file, and what must come of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kg_core.model import USER
from kg_core.store.backups import read_base
from kg_core.store.edits import BY

from .clients import gist
from .disk import file_of
from .promises import Violation, is_unseen

if TYPE_CHECKING:
    from kg_core.store import Entry

    from .world import World

HAND = "4"
"""The version that a person writes."""

Edit = tuple[str, ...]
"""The graph, what is done to its file, and to which node: ``write`` or ``remove`` one, or ``tear`` the file in two."""


@dataclass(slots=True)
class Person:
    """``wrote`` are the gists that must arrive, each with the last entry before; ``removed`` what may go."""

    edits: int = 0
    wrote: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    removed: set[tuple[str, str]] = field(default_factory=set)

    def edit(self, world: World, edit: Edit) -> None:
        """Saves the file."""
        data = edited(_data(world, edit[0]), edit)
        assert data is not None
        self.edits += 1
        key, verb, *words = edit
        world.machine.disk.put(_path(world, key), data)
        match verb, words:
            case "write", [node]:
                self.wrote.pop((key, node), None)
                if not _is_deleted(world, key, node, data):
                    self.wrote[key, node] = gist(node, HAND), world.store.sequence
            case "remove", [node]:
                self.wrote.pop((key, node), None)
                self.removed.add((key, node))
            case "tear", []:
                self.wrote = {at: said for at, said in self.wrote.items() if at[0] != key}

    def took(self, entry: Entry) -> None:
        """An edit that is taken over removes only what the person removed. Raises Violation."""
        for change in entry.changes:
            for node_id, node in change.nodes.items():
                if entry.by == BY and node is None and (change.graph, node_id) not in self.removed:
                    raise Violation(f"{node_id!r} goes with an edit of {change.graph} that did not remove it")

    def arrived(self, world: World) -> None:
        """What was written by hand was taken over, or set aside beside what others wrote. Raises Violation."""
        for (key, node_id), (said, since) in self.wrote.items():
            graph = world.store.durable(key)
            made = [
                change.nodes[node_id]
                for entry in world.witness.entries
                for change in entry.changes
                if change.graph == key and entry.sequence > since and node_id in change.nodes
            ]
            if node_id in graph.tombstones or None in made:
                continue  # a deletion stands against what was written before it
            asides = {aside.get("gist") for node in made if node is not None for aside in node.conflicts}
            if said not in asides and said not in world.witness.said.get(key, ()):
                raise Violation(f"what a person made of {node_id!r} in the file of {key} is lost")


def _is_deleted(world: World, key: str, node_id: str, data: bytes) -> bool:
    """Whether a file shows a node that was deleted since: its deletion stands against what is made of it there."""
    document = _parsed(data)
    is_former = document is not None and "written" in document["nodes"][node_id]
    return is_former and node_id in world.store.durable(key).tombstones


def possible_edits(world: World, edits: tuple[Edit, ...]) -> list[Edit]:
    """The edits that make another file of what is there, among those of loaded graphs."""
    return [edit for edit in edits if _is_possible(world, edit)]


def _is_possible(world: World, edit: Edit) -> bool:
    held, data = world.store._graphs.get(edit[0]), _data(world, edit[0])
    if held is None or edited(data, edit) is None or (data is None and edit[0] != USER):
        return False
    if edit[1] != "tear":
        return True
    # What a person tears before there is a copy of it is the person's loss.
    store = world.store
    return bool(held.content) and read_base(store._disk.files, store._disk.home, held.key, held.content) is not None


def unseen(world: World, held: Any) -> object:
    """What stands in a file that the store has not looked at yet."""
    return _told(_data(world, held.key)) if is_unseen(world, held) else None


@lru_cache(maxsize=2_000)
def edited(data: bytes | None, edit: Edit) -> bytes | None:
    """The file after the edit; ``None`` when that would be no other one."""
    if edit[1] == "tear":
        return data[: len(data) // 2] if data and _parsed(data) is not None else None
    document = {"format": 1, "nodes": {}, "edges": []} if data is None else _parsed(data)
    if document is None:
        return None
    nodes, node = document.setdefault("nodes", {}), edit[2]
    if edit[1] == "write":
        if nodes.get(node, {}).get("gist") == gist(node, HAND):
            return None
        nodes.setdefault(node, {})["gist"] = gist(node, HAND)
    elif nodes.pop(node, None) is None:
        return None
    return json.dumps(document, indent=2).encode()


def _told(data: bytes | None) -> object:
    document = None if data is None else _parsed(data)
    if document is None:
        return data is None
    return frozenset((node_id, node.get("gist")) for node_id, node in document.get("nodes", {}).items())


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def _path(world: World, key: str) -> Any:
    return file_of(world.store._disk.home, key)


def _data(world: World, key: str) -> bytes | None:
    path = _path(world, key)
    folder = world.machine.disk.folders.get(path.parent)
    inode = folder.names.get(path.name) if folder else None
    return None if inode is None else inode.data
