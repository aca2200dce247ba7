"""The agent's payloads and replies in neutral form. Pure and total: junk in, ``None`` out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kg_harness_example.events import EVENTS
from kg_plugin_api import Caller, Event, RawEvent, StartSource, ToolKind, ToolUse

if TYPE_CHECKING:
    from collections.abc import Mapping

_SPECS: Final = {spec.native: spec for spec in EVENTS}
_TOOLS: Final = {"read": ToolKind.READ, "edit": ToolKind.EDIT, "shell": ToolKind.SHELL}


class ExampleDialect:
    """Implements ``kg_plugin_api.Dialect``."""

    def parse(self, raw: RawEvent) -> Event | None:
        """The neutral event; ``None`` without a session and for events that kg does not listen to."""
        spec = _SPECS.get(raw.native)
        session = _text(raw.payload, "session_id")
        if spec is None or not session:
            return None
        return Event(
            kind=spec.kind,
            native=raw.native,
            session=session,
            cwd=_text(raw.payload, "cwd"),
            source=StartSource.of(raw.payload.get("source")),
            prompt=_text(raw.payload, "prompt"),
            tool=_tool(raw.payload),
        )

    def reply(self, raw: RawEvent, text: str) -> str:
        """The envelope in which the agent hands ``text`` to the model; nothing for no text."""
        spec = _SPECS.get(raw.native)
        if not text or spec is None or not spec.injects:
            return ""
        return json.dumps({"event": raw.native, "context": _sound(text)}, ensure_ascii=False)

    def caller(self, meta: Mapping[str, object]) -> Caller:
        """Who makes an MCP call, where the agent tells it in ``_meta``."""
        return Caller(session=_text(meta, "session_id"))


def _tool(payload: Mapping[str, object]) -> ToolUse | None:
    name = _text(payload, "tool")
    given = payload.get("input")
    if not name or not isinstance(given, dict):
        return None
    path = _text(given, "path")
    return ToolUse(
        name=name,
        kind=_TOOLS.get(name, ToolKind.OTHER),
        paths=(path,) if path else (),
        command=_text(given, "command"),
    )


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _sound(text: str) -> str:
    """``text`` with each lone surrogate, which no encoder takes, replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
