"""What an event means for its context: a new one, a fresh start of the same one, or just more of it. Pure."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from kg_plugin_api import EventKind, StartContext, StartSource

if TYPE_CHECKING:
    from kg_core.model import Millis
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


OVERTAKEN: Final[Millis] = 5_000
"""So long after an event of its session a start may still come that was before it: clients run hooks side by side."""


def entrance(
    context: Context | None, event: Event, start_context: StartContext, now: Millis, *, compacted: bool = False
) -> Entrance:
    """How ``event`` enters ``context``, the one registered for its session and agent, if any. ``compacted`` says that
    the model's earlier text was lost before an event that does not tell so itself.
    """
    if context is None:
        return Entrance.OPEN
    how = Entrance.KEEP if _is_overtaken(context, event, now) else _entrance(event, start_context)
    return Entrance.RESET if compacted and how is Entrance.KEEP else how


def _is_overtaken(context: Context, event: Event, now: Millis) -> bool:
    """Whether it is the start of a new session of which a prompt has been heard of already."""
    is_first = event.kind is EventKind.SESSION_START and not context.announced
    return is_first and event.source is StartSource.STARTUP and now - context.opened <= OVERTAKEN


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
