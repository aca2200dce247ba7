"""What a person asks of a tool: the same decision, of a context that has seen nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kg_core.store import Write
from kg_server.contexts import Context, ContextKey, Ledger
from kg_server.generic import GENERIC

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.model import GraphKey, Millis
    from kg_server.memory import Memory
    from kg_server.tools.arguments import Arguments
    from kg_server.tools.levels import Levels
    from kg_server.tools.plan import Call


def pending(memory: Memory, seen: Levels) -> Levels:
    """The levels as the next write meets them."""
    project = None if seen.project is None else memory.pending(seen.project.key)
    return replace(seen, user=memory.pending(seen.user.key), project=project)


async def carried_out(
    memory: Memory,
    seen: Levels,
    tool: str,
    asked: Arguments,
    *,
    by: str,
    now: Millis,
    allow: Callable[[Levels], None] = lambda _: None,
) -> tuple[str, bool]:
    """What the tool of that name says, and whether it changed anything. ``asked`` may hold secrets: they are replaced.

    ``allow`` is asked with the levels as this write meets them, and nothing comes in between. Raises what it raises,
    and what the tool's decision does.
    """
    # A server imports the tools once it answers, and no start waits for them.
    from kg_server.tools.catalogue import TOOLS
    from kg_server.tools.hygiene import warning, without_secrets

    chosen = TOOLS[tool]
    asked, secrets = await without_secrets(chosen, asked)
    others: tuple[GraphKey, ...] = ()
    while chosen.graphs and (wanted := chosen.graphs(asked, _call(memory, seen, others, by, now))) != others:
        await memory.load(*wanted)
        others = wanted
    call = _call(memory, seen, others, by, now)
    allow(call.pending)
    decided = chosen.plan(asked, call)
    changes = tuple(change for change in decided.changes if change)
    if changes:
        await memory.commit(Write(by=by, at=now, changes=changes))
    blocks = (*decided.blocks, *([warning(secrets)] if secrets else []))
    return "\n".join(block.text for block in blocks), bool(changes)


def _call(memory: Memory, seen: Levels, others: tuple[GraphKey, ...], by: str, now: Millis) -> Call:
    from kg_server.tools.plan import Call

    at_hand = pending(memory, seen)
    searched = {graph.key for graph in at_hand.searched()}
    return Call(
        context=Context(id=by, key=ContextKey(GENERIC.name, by), opened=now, used=now),
        known=Ledger(),
        pending=at_hand,
        durable=seen,
        harness=GENERIC,
        now=now,
        sequence=memory.store.sequence,
        loaded={key: memory.pending(key) for key in others if key not in searched},
    )
