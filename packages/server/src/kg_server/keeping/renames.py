"""A lesson that a person gives another id."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_core.store import Write
from kg_plugin_api import Code, KgError
from kg_server.contexts import Context, ContextKey, Ledger
from kg_server.generic import GENERIC
from kg_server.looking import levels_at, located
from kg_server.tools.levels import folds_alike, level_of, lookup

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.model import GraphKey, Millis
    from kg_server.memory import Memory
    from kg_server.tools.levels import Levels
    from kg_server.tools.plan import Call

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
        from kg_server.tools.catalogue import TOOLS
        from kg_server.tools.hygiene import warning, without_secrets
        from kg_server.tools.rename_node import RenameNode, graphs, plan

        seen = await levels_at(self._memory, cwd)
        graph, node = located(self._pending(seen), name, level)
        if node.locked:
            raise KgError(Code.REFUSED, f"{node.id!r} is locked. Take `locked` out of it in its file first.")
        taken = lookup(graph, new_id)
        if taken is not None and not folds_alike(taken.id, node.id):
            raise KgError(
                Code.CONFLICT, f"There is a lesson {taken.id!r} already. Choose another id, or delete that one."
            )
        given = {"old_id": node.id, "new_id": new_id, "level": level_of(graph)}
        asked = parse("kg rename", RenameNode, given)
        asked, secrets = await without_secrets(TOOLS["kg_rename_node"], asked)
        others: tuple[GraphKey, ...] = ()
        while (wanted := graphs(asked, self._call(seen, others))) != others:
            await self._memory.load(*wanted)
            others = wanted
        decided = plan(asked, self._call(seen, others))
        changes = tuple(change for change in decided.changes if change)
        if changes:
            await self._memory.commit(Write(by=_BY, at=self._clock(), changes=changes))
        blocks = (*decided.blocks, *([warning(secrets)] if secrets else []))
        return {"text": "\n".join(block.text for block in blocks), "renamed": bool(changes)}

    def _pending(self, seen: Levels) -> Levels:
        project = None if seen.project is None else self._memory.pending(seen.project.key)
        return replace(seen, user=self._memory.pending(seen.user.key), project=project)

    def _call(self, seen: Levels, others: tuple[GraphKey, ...]) -> Call:
        """What the tool may look at: of a context that has seen nothing."""
        from kg_server.tools.plan import Call

        now, pending = self._clock(), self._pending(seen)
        at_hand = {graph.key for graph in pending.searched()}
        return Call(
            context=Context(id=_BY, key=ContextKey(GENERIC.name, _BY), opened=now, used=now),
            known=Ledger(),
            pending=pending,
            durable=seen,
            harness=GENERIC,
            now=now,
            sequence=self._memory.store.sequence,
            loaded={key: self._memory.pending(key) for key in others if key not in at_hand},
        )
