"""Texts on their way: marks are reserved when a text leaves and come true only when it has arrived."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_server.contexts import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.model import Millis
    from kg_core.render.block import Mark
    from kg_plugin_api import EventSpec

EVENT_LIFE: Millis = 5_000
"""How long an event's reply may take to arrive before it counts as lost."""
CALL_LIFE: Millis = 60_000
"""The same for the reply to a tool call."""
_DROPPED_REMEMBERED = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """One text that left for a context at ``sent``, and what becomes true when it arrives before ``deadline``."""

    id: str
    context: str
    marks: tuple[Mark, ...]
    sent: Millis
    deadline: Millis

    def is_lost(self, now: Millis) -> bool:
        """Whether it can no longer arrive. A clock that was set back must not keep it on its way for hours."""
        return self.deadline < now or now < self.sent - EVENT_LIFE


def event_life(spec: EventSpec) -> Millis:
    """How long the reply to an event may take to arrive: somewhat longer than its client waits."""
    return max(EVENT_LIFE, round(spec.timeout * 1000) + 1000)


class Deliveries:
    """The reservations of all contexts. In memory alone: what a crash forgets is offered again."""

    def __init__(self, commit: Callable[[str, Sequence[Mark], Millis], None]) -> None:
        self._commit = commit
        self._open: dict[str, Reservation] = {}
        self._dropped: Recent[str, bool] = Recent(_DROPPED_REMEMBERED)

    def __len__(self) -> int:
        return len(self._open)

    def reserve(self, context: str, marks: Sequence[Mark], *, now: Millis, life: Millis) -> str:
        """Reserves marks and gives the id by which their arrival is acknowledged."""
        self._expire(now)
        delivery = secrets.token_hex(8)
        self._open[delivery] = Reservation(
            id=delivery, context=context, marks=tuple(marks), sent=now, deadline=now + life
        )
        return delivery

    def reserved(self, context: str, now: Millis) -> tuple[Mark, ...]:
        """Marks of texts that are on their way to a context: others treat them as shown."""
        self._expire(now)
        return tuple(mark for held in self._open.values() if held.context == context for mark in held.marks)

    def acknowledge(self, delivery: str, *, arrived: bool, now: Millis) -> bool:
        """Commits or drops a reservation. False for one that is unknown, settled already or past its deadline."""
        self._expire(now)
        held = self._open.pop(delivery, None)
        if held is None:
            return False
        if arrived:
            self._commit(held.context, held.marks, now)
        else:
            self._dropped.set(delivery, value=True)
        return True

    def was_dropped(self, delivery: str, now: Millis) -> bool:
        """Whether a delivery is known not to have arrived."""
        self._expire(now)
        return self._dropped.get(delivery) is not None

    def forget(self, context: str) -> None:
        """Drops what is on its way to a context, whose earlier text is gone."""
        for held in [held for held in self._open.values() if held.context == context]:
            del self._open[held.id]

    def _expire(self, now: Millis) -> None:
        for held in [held for held in self._open.values() if held.is_lost(now)]:
            del self._open[held.id]
            self._dropped.set(held.id, value=True)
