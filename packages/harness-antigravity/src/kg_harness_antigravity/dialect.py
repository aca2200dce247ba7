"""Antigravity's payloads, replies and call metadata in neutral form. Pure and total."""

from __future__ import annotations

import json
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Final

from kg_harness_antigravity.events import EVENTS, FILE_TOOLS
from kg_harness_antigravity.names import TOOL_PREFIX
from kg_plugin_api import Caller, Event, RawEvent, ToolKind, ToolUse

if TYPE_CHECKING:
    from collections.abc import Mapping

_SPECS: Final = {spec.native: spec for spec in EVENTS}
_LONGEST_ID: Final = 128
_CONVERSATION: Final = "antigravity.google/conversation_id"
_OURS: Final = "/.gemini/antigravity-cli/"
"""In the path of every transcript of the command line; the editor and the desktop program keep theirs elsewhere."""
_PATHS: Final = ("AbsolutePath", "TargetFile", "Path")
"""The arguments that name a file, under all names that versions gave them."""


class AntigravityDialect:
    """The prompt is in no payload: an event before a model call leaves it to the transcript."""

    def parse(self, raw: RawEvent) -> Event | None:
        """The neutral event; ``None`` without a conversation, and for what is not the command line's."""
        spec, payload = _SPECS.get(raw.native), raw.payload
        session = _id(payload.get("conversationId"))
        transcript = _text(payload, "transcriptPath")
        if spec is None or not session or (transcript and _OURS not in transcript.replace("\\", "/")):
            return None
        return Event(
            kind=spec.kind,
            native=raw.native,
            session=session,
            cwd=_folder(payload.get("workspacePaths")),
            tool=_tool(payload),
            transcript=transcript,
            model=_text(payload, "modelName"),
            trigger=_moment(payload),
        )

    def reply(self, raw: RawEvent, text: str) -> str:
        """The client's strict envelope, in which one unknown key voids the whole. The empty one is an empty object,
        but for events that kg does not listen to: before a tool, that one would refuse it.
        """
        spec = _SPECS.get(raw.native)
        if spec is None:
            return ""
        if not text or not spec.injects:
            return "{}"
        # A message of the system stays in the conversation, also when it is resumed; any other kind would be lost after
        # one call or be taken for the person's own words.
        step = {"systemMessage": {"systemMessage": _scalar(text)}}
        return json.dumps({"injectSteps": [step]}, ensure_ascii=False, separators=(",", ":"))

    def caller(self, meta: Mapping[str, object]) -> Caller:
        """The conversation of the call. A subagent is a conversation of its own."""
        return Caller(session=_id(meta.get(_CONVERSATION)))


def _moment(payload: Mapping[str, object]) -> str:
    """What tells one call of the model from the next, where the payload says it."""
    numbers = (payload.get("initialNumSteps"), payload.get("invocationNum"))
    return ".".join(map(str, numbers)) if all(type(number) is int for number in numbers) else ""


def _tool(payload: Mapping[str, object]) -> ToolUse | None:
    call = payload.get("toolCall")
    name = _text(call, "name") if isinstance(call, dict) else ""
    if not isinstance(call, dict) or not name:
        return None
    given = _arguments(call.get("args"))
    command = _text(given, "CommandLine")
    kind = FILE_TOOLS.get(name) or _guessed(name, given, command)
    step = payload.get("stepIdx")
    return ToolUse(
        name=name,
        kind=kind,
        id=f"step-{step}" if type(step) is int else "",
        paths=tuple(dict.fromkeys(path for key in _PATHS if (path := _text(given, key))))
        if kind in {ToolKind.READ, ToolKind.EDIT}
        else (),
        command=command if kind is ToolKind.SHELL else "",
        workdir=_text(given, "Cwd") if kind is ToolKind.SHELL else "",
        failed=bool(payload.get("error")),
    )


def _guessed(name: str, given: Mapping[str, object], command: str) -> ToolKind:
    """What a tool that is not known by name does, as its arguments tell: versions rename tools."""
    if name.startswith(TOOL_PREFIX):
        return ToolKind.OWN
    if command:
        return ToolKind.SHELL
    if _text(given, "TargetFile"):
        return ToolKind.EDIT
    return ToolKind.READ if _text(given, "AbsolutePath") else ToolKind.OTHER


def _arguments(value: object) -> Mapping[str, object]:
    """The arguments of a call, which come as an object or as its text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _folder(workspaces: object) -> str:
    """The first folder of the workspace; a relative one is none, for nobody says relative to what."""
    first = workspaces[0] if isinstance(workspaces, list) and workspaces else ""
    if not isinstance(first, str):
        return ""
    return first if PurePosixPath(first).is_absolute() or PureWindowsPath(first).is_absolute() else ""


def _id(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= _LONGEST_ID else ""


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _scalar(text: str) -> str:
    """``text`` with each lone surrogate, which no message of the client can hold, replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
