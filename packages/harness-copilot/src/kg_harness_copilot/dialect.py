"""Copilot CLI's payloads, replies and call metadata in neutral form. Pure and total."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from kg_harness_copilot.events import BEFORE_OWN_CALL, EVENTS, FILE_TOOLS
from kg_harness_copilot.names import META_AGENT, META_SESSION, SERVER, TOOL_PREFIX
from kg_plugin_api import Caller, Event, EventKind, RawEvent, StartSource, ToolKind, ToolUse

if TYPE_CHECKING:
    from collections.abc import Mapping

_SPECS: Final = {spec.native: spec for spec in EVENTS}
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)[ \t\r]*$", re.MULTILINE)


class CopilotDialect:
    """Reads the client's own payloads, in which a subagent has a session id of its own and names its parent's."""

    def parse(self, raw: RawEvent) -> Event | None:
        """The neutral event; ``None`` without a session id and for events that kg does not listen to."""
        spec = _SPECS.get(raw.native)
        payload = raw.payload
        session, agent = _who(payload)
        if spec is None or not session:
            return None
        return Event(
            kind=spec.kind,
            native=raw.native,
            session=session,
            agent=agent,
            agent_type=_text(payload, "agentType"),
            cwd=_text(payload, "cwd"),
            source=StartSource.of(payload.get("source")),
            prompt=_text(payload, "prompt"),
            machine=bool(agent),  # the prompt of a subagent is its parent's text
            tool=_tool(payload),
            transcript=_text(payload, "transcriptPath"),
            trigger=_text(payload, "trigger"),
        )

    def reply(self, raw: RawEvent, text: str) -> str:
        """The client's flat envelope, nothing for no text; before a call of ours the ``_meta`` that tells who calls."""
        spec = _SPECS.get(raw.native)
        if raw.native == BEFORE_OWN_CALL:
            return _introduction(raw.payload)
        if not text or spec is None or not spec.injects:
            return ""
        return _json({"additionalContext": _scalar(text)})

    def refuse(self, raw: RawEvent, reason: str) -> str:
        """The decision that keeps an edit from being made; its reason is the tool's result for the model."""
        spec = _SPECS.get(raw.native)
        if spec is None or spec.kind is not EventKind.BEFORE_TOOL or raw.native == BEFORE_OWN_CALL:
            return self.reply(raw, "")
        return _json({"permissionDecision": "deny", "permissionDecisionReason": _scalar(reason)})

    def caller(self, meta: Mapping[str, object]) -> Caller:
        """Session and subagent, as the reply before the call put them there."""
        return Caller(session=_text(meta, META_SESSION), agent=_text(meta, META_AGENT))


def _who(payload: Mapping[str, object]) -> tuple[str, str]:
    """Session and subagent. A subagent's own events and the one that starts it agree on its parent alone."""
    agent = _text(payload, "agentId")
    session = _text(payload, "sessionId")
    return ((_text(payload, "parentAgentId") or session) if agent else session), agent


def _introduction(payload: Mapping[str, object]) -> str:
    session, agent = _who(payload)
    if not session:
        return ""
    kept = payload.get("_meta")
    meta = {**(kept if isinstance(kept, dict) else {}), META_SESSION: session}
    return _json({"metaToUse": {**meta, META_AGENT: agent} if agent else meta})


def _tool(payload: Mapping[str, object]) -> ToolUse | None:
    name = _text(payload, "toolName")
    server = _text(payload, "serverName")
    if not name:
        return None
    name = f"{server}-{name}" if server else name
    own = server == SERVER or name.startswith(TOOL_PREFIX)
    kind = FILE_TOOLS.get(name, ToolKind.OWN if own else ToolKind.OTHER)
    given = payload.get("toolArgs")
    arguments: Mapping[str, object] = given if isinstance(given, dict) else {}
    path = _text(arguments, "path")
    return ToolUse(
        name=name,
        kind=kind,
        id=_text(payload, "toolCallId"),
        paths=(path,) if path else _patched(given),
        command=_text(arguments, "command") if kind is ToolKind.SHELL else "",
    )


def _patched(given: object) -> tuple[str, ...]:
    """The files that a patch names; it comes as plain text, not as an object."""
    return tuple(dict.fromkeys(_PATCHED.findall(given))) if isinstance(given, str) else ()


def _json(value: Mapping[str, object]) -> str:
    return _scalar(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _scalar(text: str) -> str:
    """``text`` with each lone surrogate, which no encoding of a reply can carry, replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
