"""The static answers for one harness, which the server writes so that carriers need no server to give them."""

from __future__ import annotations

import os

from kg_server.carrier import jsontext
from kg_server.carrier.regular import regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_server.carrier.places import Places


class Answers:
    """What ``state/mcp/<harness>.json`` holds; empty answers when it is missing or damaged."""

    def __init__(self, held: Mapping[str, object]) -> None:
        self._held = held

    @classmethod
    def load(cls, places: Places, harness: str) -> Answers:
        """Reads the file of a harness."""
        try:
            with open(places.answers(harness), encoding="utf-8", opener=regular) as file:
                held = jsontext.loads(file.read())
        except (OSError, ValueError, RecursionError):
            held = None
        return cls(held if isinstance(held, dict) else {})

    def result(self, name: str) -> dict[str, object] | None:
        """The result of an MCP method (``discover``, ``initialize``, ``tools``), if it is known."""
        found = self._held.get(name)
        return dict(found) if isinstance(found, dict) else None

    def only_reads(self, message: Mapping[str, object]) -> bool:
        """Whether a request changes nothing: it calls no tool, or one that says so of itself."""
        if message.get("method") != "tools/call":
            return True
        params = message.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        listed = (self.result("tools") or {}).get("tools")
        for tool in listed if isinstance(listed, list) else ():
            if isinstance(tool, dict) and tool.get("name") == name:
                annotations = tool.get("annotations")
                return isinstance(annotations, dict) and annotations.get("readOnlyHint") is True
        return False

    def starts_session(self, event: str) -> bool:
        """Whether this native event starts a session, which may wait for a server to start."""
        return self._event(event).get("kind") == "session_start"

    def begins_anew(self, event: str) -> bool:
        """Whether after this native event the model has nothing of what it was shown before."""
        return self._event(event).get("kind") in {"session_start", "compact"}

    def outage(self, event: str) -> str:
        """The reply that puts the line about an outage before the model; empty when this event cannot."""
        return str(self._event(event).get("outage", ""))

    def empty(self, event: str) -> str:
        """The client's empty reply to this native event."""
        return str(self._event(event).get("empty", ""))

    def strip(self) -> tuple[str, ...]:
        """Prefixes of environment variables that a server must not inherit from an agent."""
        found = self._held.get("strip")
        return tuple(str(prefix) for prefix in found) if isinstance(found, list) else ()

    def _event(self, event: str) -> Mapping[str, object]:
        events = self._held.get("events")
        found = events.get(event) if isinstance(events, dict) else None
        return found if isinstance(found, dict) else {}


class AnswersFile:
    """The answers for one harness as their file has them, for a process that needs them again and again."""

    def __init__(self, places: Places, harness: str) -> None:
        self._places = places
        self._harness = harness
        self._kept: tuple[object, Answers] = (None, Answers({}))

    def load(self) -> Answers:
        """What the file holds now. It is read anew only when it has changed."""
        try:
            found = os.stat(self._places.answers(self._harness))
        except OSError:
            return Answers({})
        version = (found.st_ino, found.st_mtime_ns, found.st_size)
        known, answers = self._kept
        if version != known:
            answers = Answers.load(self._places, self._harness)
            self._kept = (version, answers)
        return answers
