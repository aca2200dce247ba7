"""What events tell of sessions and bring no text for: that one, or a subagent in it, is over for now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_plugin_api import EventKind
from kg_server.contexts import ContextKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_plugin_api import Event, Harness
    from kg_server.contexts import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Endings:
    """Notes which contexts have ended. ``then`` is told of each session that has, subagents not counted."""

    registry: Registry
    then: Callable[[], None]

    def note(self, harness: Harness, event: Event) -> None:
        """Takes notice of the end of a session and of a subagent, and of no other event. It opens no context."""
        is_session = event.kind is EventKind.SESSION_END
        if not is_session and not (event.kind is EventKind.SUBAGENT_STOP and event.agent):
            return
        context = self.registry.find(ContextKey(harness.name, event.session, event.agent))
        if context is not None:
            self.registry.end(context.id)
        if is_session:
            self.then()
