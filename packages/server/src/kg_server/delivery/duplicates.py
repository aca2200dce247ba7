"""The same event told twice, as when a hook is registered twice: answered once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from kg_plugin_api import EventKind
from kg_server.contexts import Recent

if TYPE_CHECKING:
    from kg_core.model import Millis
    from kg_plugin_api import Event

WINDOW: Millis = 2_000
_REMEMBERED = 4_096


class Duplicates:
    """Remembers what was just told. An event without anything that tells it apart is never a duplicate."""

    def __init__(self) -> None:
        self._told: Recent[tuple[str, ...], Millis] = Recent(_REMEMBERED)

    def is_repeated(self, harness: str, event: Event, now: Millis) -> bool:
        """Whether this very event was told within the window; remembers it."""
        name = _name(event)
        if not name:
            return False
        told = (harness, event.session, event.agent, event.native, name)
        before = self._told.get(told)
        self._told.set(told, now)
        return before is not None and 0 <= now - before < WINDOW


def _name(event: Event) -> str:
    match event.kind:
        case EventKind.SESSION_START:
            return f"start:{event.source}"
        case EventKind.PROMPT:
            said = f"{event.trigger}\x00{event.prompt}" if event.trigger or event.prompt else ""
            return said and hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
        case EventKind.SUBAGENT_START | EventKind.COMPACT:
            return f"{event.kind}:{event.trigger}"
        case _:
            return event.tool.id if event.tool is not None else ""
