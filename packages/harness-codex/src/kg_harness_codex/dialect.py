"""Codex's payloads, replies and call metadata in neutral form. Pure and total."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from kg_harness_codex.events import EVENTS, FILE_TOOLS
from kg_harness_codex.names import TOOL_PREFIX
from kg_plugin_api import Caller, Event, EventKind, Limit, RawEvent, StartSource, ToolKind, ToolUse, Unit

if TYPE_CHECKING:
    from collections.abc import Mapping

_SPECS: Final = {spec.native: spec for spec in EVENTS}
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)[ \t\r]*$", re.MULTILINE)
_KNOWN_MODEL: Final = re.compile(r"gpt-\d")
_UNKNOWN_MODEL_READ: Final = Limit(11_000, Unit.BYTES)
"""Of a tool without a limit of its own, a model that the client does not know is given 11,960 bytes."""


class CodexDialect:
    """Reads both carriers alike: a template keeps the payload's own names, and objects stay objects."""

    def parse(self, raw: RawEvent) -> Event | None:
        """The neutral event; ``None`` without a session id and for events that kg does not listen to."""
        spec = _SPECS.get(raw.native)
        payload = raw.payload
        session = _text(payload, "session_id")
        if spec is None or not session:
            return None
        agent = _text(payload, "agent_id") or _other(_text(raw.meta, "threadId"), session)
        return Event(
            kind=spec.kind,
            native=raw.native,
            session=session,
            agent=agent,
            agent_type=_text(payload, "agent_type"),
            cwd=_text(payload, "cwd"),
            source=StartSource.of(payload.get("source")),
            prompt=_text(payload, "prompt"),
            machine=bool(agent),  # the prompt of a subagent is its parent's text
            tool=_tool(payload),
            transcript=_text(payload, "transcript_path"),
            model=_text(payload, "model"),
        )

    def reply(self, raw: RawEvent, text: str) -> str:
        """The client's strict JSON envelope, in which one unknown key voids the whole; nothing for no text."""
        spec = _SPECS.get(raw.native)
        if not text or spec is None or not spec.injects:
            return ""
        output = {"hookEventName": raw.native, "additionalContext": _scalar(text)}
        return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False, separators=(",", ":"))

    def refuse(self, raw: RawEvent, reason: str) -> str:
        """The decision that keeps the tool from running; its reason is the tool's result for the model."""
        spec = _SPECS.get(raw.native)
        if spec is None or spec.kind is not EventKind.BEFORE_TOOL:
            return ""
        output = {
            "hookEventName": raw.native,
            "permissionDecision": "deny",
            "permissionDecisionReason": _scalar(reason),
        }
        return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False, separators=(",", ":"))

    def caller(self, meta: Mapping[str, object]) -> Caller:
        """Session and thread of the call; a subagent is a thread of its parent's session."""
        turn = meta.get("x-codex-turn-metadata")
        details: Mapping[str, object] = turn if isinstance(turn, dict) else {}
        thread = _text(meta, "threadId") or _text(details, "thread_id")
        session = _text(details, "session_id") or _text(meta, "sessionId") or thread
        model = _text(details, "model")
        return Caller(
            session=session,
            agent=_other(thread, session),
            read_limit=_UNKNOWN_MODEL_READ if model and not _KNOWN_MODEL.match(model) else None,
        )


def _tool(payload: Mapping[str, object]) -> ToolUse | None:
    name = _text(payload, "tool_name")
    if not name:
        return None
    kind = FILE_TOOLS.get(name, ToolKind.OWN if name.startswith(TOOL_PREFIX) else ToolKind.OTHER)
    given = payload.get("tool_input")
    command = _text(given, "command") if isinstance(given, dict) else ""
    return ToolUse(
        name=name,
        kind=kind,
        id=_text(payload, "tool_use_id"),
        paths=tuple(dict.fromkeys(_PATCHED.findall(command))) if kind is ToolKind.EDIT else (),
        command=command if kind is ToolKind.SHELL else "",
    )


def _other(thread: str, session: str) -> str:
    return thread if thread != session else ""


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _scalar(text: str) -> str:
    """``text`` with each lone surrogate, for which the client refuses the whole reply, replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
