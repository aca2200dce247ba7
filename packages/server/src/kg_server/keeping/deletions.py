"""Lessons that a person deletes by name."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_core.model import Tombstone
from kg_core.policy.paths import Place
from kg_core.store import Write
from kg_plugin_api import Code, KgError
from kg_server.looking import levels_at, located
from kg_server.tools.levels import Levels, level_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.model import Millis, Node
    from kg_core.store import Entry
    from kg_server.keeping.copies import Copies
    from kg_server.memory import Memory

_BY: Final = "delete"


class Deletions:
    """Takes lessons out of the memory of a folder. Each leaves a tombstone, so no import or merge brings it back."""

    def __init__(self, memory: Memory, copies: Copies, clock: Callable[[], Millis]) -> None:
        self._memory = memory
        self._copies = copies
        self._clock = clock

    async def delete(self, cwd: str, names: Sequence[str], level: str) -> dict[str, object]:
        """Deletes the lessons that are named, all of them or none, after a backup.

        ``text`` says so, ``deleted`` lists ids and levels, ``backup`` is the file. Raises INVALID when none is named,
        NOT_FOUND, AMBIGUOUS, and REFUSED for one that is locked.
        """
        # A server imports the tools once it answers, and no start waits for them.
        from kg_server.tools.delete_node import removal, told
        from kg_server.tools.evidence import fallen

        if not names:
            raise KgError(Code.INVALID, "Name the lessons that are to be deleted.")
        seen = await levels_at(self._memory, cwd)
        _chosen(self._pending(seen), names, level)
        backup = (await self._copies.backup(""))["path"]
        # From here to the last commit nothing else runs: all of them are found before the first one goes.
        chosen = _chosen(self._pending(seen), names, level)
        lines: list[str] = []
        written: list[asyncio.Future[Entry]] = []
        for place, node in chosen.items():
            at_hand = {graph.key: graph for graph in self._pending(seen).searched()}
            graph, now = at_hand[place.graph], self._clock()
            lines += [*told(graph, node), *fallen(place.graph, place.id, at_hand, chosen)]
            change = removal(graph, node, Tombstone(at=now, by=_BY))
            written.append(self._memory.commit(Write(by=_BY, at=now, changes=(change,))))
        await asyncio.gather(*written)
        deleted = [{"id": place.id, "level": level_of(at_hand[place.graph])} for place in chosen]
        return {"text": "\n".join(lines), "deleted": deleted, "backup": backup}

    def _pending(self, seen: Levels) -> Levels:
        project = None if seen.project is None else self._memory.pending(seen.project.key)
        return replace(seen, user=self._memory.pending(seen.user.key), project=project)


def _chosen(levels: Levels, names: Sequence[str], level: str) -> dict[Place, Node]:
    """The lessons that are named. Raises when one of them cannot be deleted."""
    chosen: dict[Place, Node] = {}
    for name in names:
        graph, node = located(levels, name, level)
        if node.locked:
            raise KgError(Code.REFUSED, f"{node.id!r} is locked. Take `locked` out of it in its file first.")
        chosen[Place(graph.key, node.id)] = node
    return chosen
