"""Claude Code's payloads, replies and call metadata in neutral form. Pure and total."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kg_harness_claude.events import EVENTS, FILE_TOOLS
from kg_harness_claude.names import TOOL_PREFIX
from kg_plugin_api import Caller, Carrier, Event, EventKind, RawEvent, StartSource, ToolKind, ToolUse

if TYPE_CHECKING:
    from collections.abc import Mapping

_SPECS: Final = {spec.native: spec for spec in EVENTS}
_FAILED: Final = "PostToolUseFailure"
_PATH_FIELDS: Final = ("file_path", "notebook_path", "path")
_MACHINE_PROMPTS: Final = ("<task-notification", "<teammate-message", "<system-reminder")
"""How a prompt begins that the client itself sends in a person's place."""


class ClaudeDialect:
    """Reads both carriers alike: a template keeps the payload's own shape."""

    def parse(self, raw: RawEvent) -> Event | None:
        """The neutral event; ``None`` without a session id and for events that kg does not listen to, the end of the
        nameless agent of a compaction and a tool that a person has interrupted among them: no model reads on there.
        """
        spec = _SPECS.get(raw.native)
        payload = raw.payload
        session = _text(payload, "session_id")
        if spec is None or not session or payload.get("is_interrupt") in (True, "true"):
            return None
        if spec.kind is EventKind.SUBAGENT_STOP and not (_text(payload, "agent_id") and _text(payload, "agent_type")):
            return None
        prompt = _text(payload, "prompt")
        return Event(
            kind=spec.kind,
            native=raw.native,
            session=session,
            agent=_text(payload, "agent_id"),
            agent_type=_text(payload, "agent_type"),
            cwd=_text(payload, "cwd"),
            source=StartSource.of(payload.get("source")),
            prompt=prompt,
            machine=prompt.lstrip().startswith(_MACHINE_PROMPTS),
            tool=_tool(payload, failed=raw.native == _FAILED),
            transcript=_text(payload, "transcript_path"),
            model=_text(payload, "model"),
        )

    def reply(self, raw: RawEvent, text: str) -> str:
        """The client's JSON envelope; an empty one for no text and for an event that cannot bring text.

        A tool's empty answer would not do: after a prompt the client tells its model that such a hook "completed".
        """
        spec = _SPECS.get(raw.native)
        if not text or spec is None or not spec.injects:
            return "{}" if raw.carrier is Carrier.MCP_HOOK else ""
        output = {"hookEventName": raw.native, "additionalContext": _scalar(text)}
        return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False, separators=(",", ":"))

    def refuse(self, raw: RawEvent, reason: str) -> str:
        """The decision that keeps the tool from running; its reason is the tool's result for the model."""
        spec = _SPECS.get(raw.native)
        if spec is None or spec.kind is not EventKind.BEFORE_TOOL:
            return self.reply(raw, "")
        output = {
            "hookEventName": raw.native,
            "permissionDecision": "deny",
            "permissionDecisionReason": _scalar(reason),
        }
        return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False, separators=(",", ":"))

    def caller(self, meta: Mapping[str, object]) -> Caller:
        """The id of the tool use, which a ``PreToolUse`` event of the same call carried before."""
        return Caller(tool_use=_text(meta, "claudecode/toolUseId"))


def _tool(payload: Mapping[str, object], *, failed: bool) -> ToolUse | None:
    name = _text(payload, "tool_name")
    if not name:
        return None
    given = payload.get("tool_input")
    arguments: Mapping[str, object] = given if isinstance(given, dict) else {}
    return ToolUse(
        name=name,
        kind=FILE_TOOLS.get(name, ToolKind.OWN if name.startswith(TOOL_PREFIX) else ToolKind.OTHER),
        id=_text(payload, "tool_use_id"),
        paths=tuple(path for field in _PATH_FIELDS if (path := _text(arguments, field))),
        command=_text(arguments, "command"),
        failed=failed,
    )


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _scalar(text: str) -> str:
    """``text`` with each lone surrogate, which no encoding of a reply can carry, replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
