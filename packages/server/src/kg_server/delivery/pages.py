"""Long replies in parts: a part that did not arrive is handed out again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_server.contexts import Recent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.model import Millis
    from kg_core.render import Page
    from kg_server.delivery.deliveries import Deliveries

_REMEMBERED = 256


@dataclass(slots=True)
class _Reply:
    """A reply in parts: how many were handed out, and the delivery of the last of them.

    ``is_taken`` says that a part has just been taken and leaves with the next delivery.
    """

    parts: tuple[Page, ...]
    given: int = 0
    delivery: str = ""
    is_taken: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One part, counted from 1."""

    page: Page
    number: int
    total: int

    @property
    def is_last(self) -> bool:
        """Whether the reply is complete with it."""
        return self.number == self.total


class Pages:
    """The latest long reply of each context. In memory: after a restart the model reads again."""

    def __init__(self, deliveries: Deliveries) -> None:
        self._deliveries = deliveries
        self._replies: Recent[str, _Reply] = Recent(_REMEMBERED)

    def start(self, context: str, parts: Sequence[Page]) -> None:
        """A new reply, in place of an earlier one."""
        self._replies.set(context, _Reply(tuple(parts)))

    def next(self, context: str, now: Millis) -> Part | None:
        """The next part, or the last one again when it is known not to have arrived; ``None`` when all are given."""
        reply = self._replies.get(context)
        if reply is None:
            return None
        if reply.delivery and self._deliveries.was_dropped(reply.delivery, now):
            reply.given -= 1
        reply.delivery = ""
        reply.is_taken = reply.given < len(reply.parts)
        if not reply.is_taken:
            return None
        reply.given += 1
        return Part(reply.parts[reply.given - 1], reply.given, len(reply.parts))

    def is_known(self, context: str) -> bool:
        """Whether this context has had a long reply, as far as it is remembered."""
        return self._replies.get(context) is not None

    def sent(self, context: str, delivery: str) -> None:
        """The part just taken left with this delivery; nothing happens when none was."""
        reply = self._replies.get(context)
        if reply is not None and reply.is_taken:
            reply.delivery, reply.is_taken = delivery, False

    def forget(self, context: str) -> None:
        """The model's earlier text is gone, and with it the parts before."""
        self._replies.set(context, _Reply(()))
