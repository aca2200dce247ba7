"""A lesson that a person gives another id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError
from kg_server.keeping.byhand import carried_out, pending
from kg_server.looking import levels_at, located
from kg_server.tools.levels import folds_alike, level_of, lookup

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.model import Millis
    from kg_server.memory import Memory

_BY: Final = "rename"


class Renames:
    """Renames lessons of the memory of a folder as the tool does: notes, use and edges go with them."""

    def __init__(self, memory: Memory, clock: Callable[[], Millis]) -> None:
        self._memory = memory
        self._clock = clock

    async def rename(self, cwd: str, name: str, new_id: str, level: str) -> dict[str, object]:
        """Renames the lesson that is named. ``text`` says so; ``renamed`` is False when it has this id already.

        Raises NOT_FOUND, AMBIGUOUS, INVALID for an id that is none, CONFLICT for one that is taken, and REFUSED for a
        lesson that is locked.
        """
        # A server imports the tools once it answers, and no start waits for them.
        from kg_server.tools.arguments import parse
        from kg_server.tools.rename_node import RenameNode

        seen = await levels_at(self._memory, cwd)
        graph, node = located(pending(self._memory, seen), name, level)
        if node.locked:
            raise KgError(Code.REFUSED, f"{node.id!r} is locked. Take `locked` out of it in its file first.")
        taken = lookup(graph, new_id)
        if taken is not None and not folds_alike(taken.id, node.id):
            raise KgError(
                Code.CONFLICT, f"There is a lesson {taken.id!r} already. Choose another id, or delete that one."
            )
        given = {"old_id": node.id, "new_id": new_id, "level": level_of(graph)}
        asked = parse("kg rename", RenameNode, given)
        text, is_changed = await carried_out(self._memory, seen, "kg_rename_node", asked, by=_BY, now=self._clock())
        return {"text": text, "renamed": is_changed}
