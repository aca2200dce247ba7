"""What an event means for its context: a new one, a fresh start of the same one, or just more of it. Pure."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from kg_plugin_api import EventKind, StartContext, StartSource

if TYPE_CHECKING:
    from kg_plugin_api import Event
    from kg_server.contexts.context import Context


class Entrance(Enum):
    """How an event enters its context."""

    OPEN = "open"
    """A new context is registered; an earlier one of that key ends."""
    RESET = "reset"
    """The model's earlier text is gone: the same context, told everything again."""
    KEEP = "keep"
    """What was delivered is still in front of the model."""


def entrance(
    context: Context | None, event: Event, start_context: StartContext, *, compacted: bool = False
) -> Entrance:
    """How ``event`` enters ``context``, the one registered for its session and agent, if any. ``compacted`` says that
    the model's earlier text was lost before an event that does not tell so itself.
    """
    if context is None:
        return Entrance.OPEN
    how = _entrance(event, start_context)
    return Entrance.RESET if compacted and how is Entrance.KEEP else how


def _entrance(event: Event, start_context: StartContext) -> Entrance:
    if event.kind is EventKind.COMPACT:
        return Entrance.RESET
    if event.kind is not EventKind.SESSION_START:
        return Entrance.KEEP
    match event.source:
        case StartSource.CLEAR | StartSource.FORK:
            return Entrance.OPEN
        case StartSource.RESUME if start_context is not StartContext.REPLACED:
            return Entrance.KEEP
        case _:
            return Entrance.RESET
