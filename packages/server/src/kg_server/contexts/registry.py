"""All contexts of the machine: registered, found, aged and kept over a restart."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_server.contexts.context import Context, first_ledger, marks_record, replay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.model import GraphKey, Millis
    from kg_core.render.block import Mark
    from kg_server.contexts.key import ContextKey
    from kg_server.contexts.ledger import IsGone
    from kg_server.linelog import LineLog, Record

LIFE: Millis = 24 * 3_600_000
"""How long a context is kept after its last use."""
CAPACITY = 2_000
"""How many contexts are kept; beyond it those that ended go first, and then the longest unused ones."""
_USE_IS_NOTED_EVERY: Millis = 10 * 60_000
_READING_IS_NOTED_EVERY = 1024 * 1024
"""Bytes of a transcript of which it need not be known after a restart that they were looked at."""


def _nothing_is(_graph: GraphKey, _node_id: str) -> bool:
    return False


class Registry:
    """The contexts in memory and their log. Every method is one synchronous step on the loop."""

    def __init__(self, log: LineLog) -> None:
        self._log = log
        self._by_id: dict[str, Context] = {}
        self._by_key: dict[ContextKey, str] = {}
        self._noted_use: dict[str, Millis] = {}
        self._noted_reading: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    @property
    def problem(self) -> str:
        """What keeps the contexts from being written, or empty."""
        return self._log.problem

    def restore(self, now: Millis, sequence: int) -> None:
        """Reads the log; what makes no sense in it is left out, and so is what has expired.

        A context that was told of more than the journal's ``sequence`` belongs to another memory and goes too.
        """
        for record in self._log.load():
            try:
                context = replay(self._by_id, record)
            except (KeyError, TypeError, ValueError, OverflowError):
                self._log.skipped += 1
                continue
            if context is None:
                self._forget(str(record["id"]))
            else:
                self._keep(context)
        for context in list(self._by_id.values()):
            if max(context.started, context.ledger.synced, context.ledger.pushed.floor) > sequence:
                self._forget(context.id)
        self.sweep(now)

    async def compact(self, is_gone: IsGone = _nothing_is, *, always: bool = False) -> None:
        """Rewrites the log when it has grown, or ``always``, without what was said of nodes that are gone."""
        if always or self._log.wants_rewrite:
            for context_id in tuple(self._by_id):
                context = self._by_id.get(context_id)
                if context is not None:
                    self._by_id[context_id] = replace(context, ledger=context.ledger.without(is_gone))
                await asyncio.sleep(0)
            contexts = tuple(self._by_id.values())
            await self._log.rewrite(record for context in contexts for record in context.records())

    def close(self) -> None:
        """Closes the log."""
        self._log.close()

    def get(self, context_id: str) -> Context | None:
        """The context of this id."""
        return self._by_id.get(context_id)

    def knows(self, context_id: str) -> bool:
        """Whether there is a context of this id."""
        return context_id in self._by_id

    def find(self, key: ContextKey) -> Context | None:
        """The context that a harness means by ``key``."""
        context_id = self._by_key.get(key)
        return self._by_id.get(context_id) if context_id is not None else None

    def open(self, key: ContextKey, *, now: Millis, sequence: int) -> Context:
        """Registers a new context under ``key``, in place of an earlier one of that key."""
        self.sweep(now)
        earlier = self.find(key)
        generation = 0 if earlier is None else now  # no id of an earlier context: its writes are another's
        while (context_id := key.short_id(generation)) in self._by_id:
            generation += 1
        if earlier is not None:
            self.close_context(earlier.id)
        ledger = first_ledger(sequence)
        context = Context(id=context_id, key=key, opened=now, used=now, begun=now, started=sequence, ledger=ledger)
        self._keep(context)
        for record in context.records():
            self._log.append(record)
        return context

    def place(self, context_id: str, cwd: str, project: GraphKey) -> Context:
        """Decides the project of a context, once; only that it has none may be decided anew."""
        context = self._by_id[context_id]
        if context.project or (context.placed and not project):
            return context
        return self._change(
            context.placed_at(cwd, project),
            {"op": "place", "id": context_id, "cwd": cwd, "project": project},
        )

    def learn(self, context_id: str, marks: Sequence[Mark], now: Millis) -> None:
        """Lets marks come true. A context that is gone learns nothing."""
        context = self._by_id.get(context_id)
        if context is not None and marks:
            ledger = context.ledger.apply_all(marks, now)
            self._change(replace(context, ledger=ledger), marks_record(context_id, marks, now))

    def reset(self, context_id: str, now: Millis) -> Context:
        """The model's earlier text is gone: its context forgets what it had seen."""
        context = self._by_id[context_id]
        return self._change(context.reset(now), {"op": "reset", "id": context_id, "at": now})

    def set_maintenance(self, context_id: str) -> Context:
        """Makes it a maintenance context, for good."""
        context = self._by_id[context_id]
        if context.maintenance:
            return context
        return self._change(replace(context, maintenance=True), {"op": "maintenance", "id": context_id})

    def hear(self, context_id: str) -> Context:
        """Notes that an event of it has arrived."""
        context = self._by_id[context_id]
        return (
            context if context.heard else self._change(replace(context, heard=True), {"op": "heard", "id": context_id})
        )

    def announce(self, context_id: str) -> None:
        """Notes that the start of its session has been heard of. It matters for seconds, so it is not written down."""
        self._by_id[context_id] = replace(self._by_id[context_id], announced=True)

    def read(self, context_id: str, size: int, prompt: str, *, is_turn: bool) -> Context:
        """Notes how much of its transcript was looked at, and the last prompt in it.

        Not each look is written down but each ``is_turn``, so that what was found is not found again after a restart.
        """
        context = self._by_id[context_id]
        looked = replace(context, read=size, prompt=prompt)
        noted = self._noted_reading.get(context_id, 0)
        if is_turn or not noted <= size < noted + _READING_IS_NOTED_EVERY:
            self._noted_reading[context_id] = size
            return self._change(looked, {"op": "read", "id": context_id, "bytes": size, "prompt": prompt})
        self._by_id[context_id] = looked
        return looked

    def touch(self, context_id: str, now: Millis) -> Context:
        """Notes that a context is in use, one that had ended again."""
        known = self._by_id[context_id]
        context = replace(known, used=now, ended=False)
        if known.ended or now - self._noted_use.get(context_id, context.opened) >= _USE_IS_NOTED_EVERY:
            self._noted_use[context_id] = now
            return self._change(context, {"op": "used", "id": context_id, "at": now})
        self._by_id[context_id] = context
        return context

    def end(self, context_id: str) -> None:
        """Notes that its client has ended it, and with a session its subagents. As it may be taken up again, what was
        shown stays known; but where there is no more room it goes first.
        """
        ended = self._by_id[context_id]
        for context in tuple(self._by_id.values()):
            is_within = context.key[:2] == ended.key[:2] and not ended.key.agent
            if (context is ended or is_within) and not context.ended:
                self._change(replace(context, ended=True), {"op": "ended", "id": context.id})

    def sweep(self, now: Millis) -> None:
        """Lets go of contexts unused for 24 hours; beyond the capacity of ended ones, and of the longest unused.

        One that was used at a time to come, before the clock was set back, counts as used now.
        """
        for context in self._by_id.values():
            if context.used > now:
                self._by_id[context.id] = replace(context, used=now)
        in_order = sorted(self._by_id.values(), key=lambda context: (not context.ended, context.used))
        surplus = len(in_order) - CAPACITY
        for position, context in enumerate(in_order):
            if position < surplus or now - context.used > LIFE:
                self.close_context(context.id)

    def watermark(self, sequence: int) -> int:
        """The last journal sequence that every context has been told of; ``sequence`` when there is none."""
        return min((context.ledger.told_up_to for context in self._by_id.values()), default=sequence)

    def close_context(self, context_id: str) -> None:
        """Forgets a context."""
        self._forget(context_id)
        self._log.append({"op": "close", "id": context_id})

    def _change(self, context: Context, record: Record) -> Context:
        self._by_id[context.id] = context
        self._log.append(record)
        return context

    def _keep(self, context: Context) -> None:
        self._by_id[context.id] = context
        self._by_key[context.key] = context.id
        self._noted_use[context.id] = context.used
        self._noted_reading[context.id] = context.read

    def _forget(self, context_id: str) -> None:
        context = self._by_id.pop(context_id, None)
        self._noted_use.pop(context_id, None)
        self._noted_reading.pop(context_id, None)
        if context is not None and self._by_key.get(context.key) == context_id:
            del self._by_key[context.key]
