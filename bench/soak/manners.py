"""How each agent's client words its events and says whose call it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from soak.carriers import Answer

_GIVEN: Final = re.compile(r"^session_id: (\S+)", re.MULTILINE)


class Manners(Protocol):
    """One session of one kind of client."""

    harness: str
    session: str

    def start(self, source: str) -> tuple[str, str, Mapping[str, object]] | None:
        """Native name, carrier and payload of the event that starts the session; None where there are no events."""
        ...

    def prompt(self, text: str) -> tuple[str, str, Mapping[str, object]] | None:
        """The event of a prompt."""
        ...

    def tool(self, path: str) -> tuple[str, str, Mapping[str, object]] | None:
        """The event after a tool of the client's own has worked on a file."""
        ...

    def before(self, tool: str, use: str) -> tuple[str, str, Mapping[str, object]] | None:
        """The event that comes before a call of one of our tools."""
        ...

    def meta(self, use: str) -> Mapping[str, object]:
        """What the client says with a call."""
        ...

    def arguments(self) -> Mapping[str, object]:
        """What the model adds to a call."""
        ...

    def heard(self, answer: Answer) -> None:
        """The model reads an answer."""
        ...


class Claude:
    """Claude Code: a hook before each call says whose it is."""

    harness = "claude"

    def __init__(self, session: str, cwd: Path) -> None:
        self.session = session
        self._common = {"session_id": session, "cwd": str(cwd), "transcript_path": "", "agent_id": "", "agent_type": ""}

    def start(self, source: str) -> tuple[str, str, Mapping[str, object]]:
        """See :class:`Manners`."""
        return "SessionStart", "hook_client", {**self._common, "hook_event_name": "SessionStart", "source": source}

    def prompt(self, text: str) -> tuple[str, str, Mapping[str, object]]:
        """See :class:`Manners`."""
        return "UserPromptSubmit", "mcp_hook", {**self._common, "prompt": text}

    def tool(self, path: str) -> tuple[str, str, Mapping[str, object]]:
        """See :class:`Manners`."""
        used = {"tool_name": "Read", "tool_use_id": "", "tool_input": {"file_path": path}}
        return "PostToolUse", "mcp_hook", {**self._common, **used}

    def before(self, tool: str, use: str) -> tuple[str, str, Mapping[str, object]]:
        """See :class:`Manners`."""
        named = {"tool_name": f"mcp__plugin_kg_kg__{tool}", "tool_use_id": use}
        return "PreToolUse", "mcp_hook", {**self._common, **named}

    def meta(self, use: str) -> Mapping[str, object]:
        """See :class:`Manners`."""
        return {"claudecode/toolUseId": use}

    def arguments(self) -> Mapping[str, object]:
        """See :class:`Manners`."""
        return {}

    def heard(self, answer: Answer) -> None:
        """See :class:`Manners`."""


class Codex:
    """Codex: its thread is named with every call."""

    harness = "codex"

    def __init__(self, session: str, cwd: Path) -> None:
        self.session = session
        self._common = {"session_id": session, "cwd": str(cwd), "transcript_path": "", "model": "gpt-5"}

    def start(self, source: str) -> tuple[str, str, Mapping[str, object]]:
        """See :class:`Manners`."""
        return "SessionStart", "mcp_hook", {**self._common, "source": source}

    def prompt(self, text: str) -> tuple[str, str, Mapping[str, object]]:
        """See :class:`Manners`."""
        return "UserPromptSubmit", "mcp_hook", {**self._common, "prompt": text}

    def tool(self, path: str) -> tuple[str, str, Mapping[str, object]]:
        """See :class:`Manners`."""
        used = {"tool_name": "Bash", "tool_use_id": "", "tool_input": {"command": f"cat {path}"}}
        return "PostToolUse", "mcp_hook", {**self._common, **used}

    def before(self, tool: str, use: str) -> None:
        """See :class:`Manners`."""

    def meta(self, use: str) -> Mapping[str, object]:
        """See :class:`Manners`."""
        return {"threadId": self.session}

    def arguments(self) -> Mapping[str, object]:
        """See :class:`Manners`."""
        return {}

    def heard(self, answer: Answer) -> None:
        """See :class:`Manners`."""


class Plain:
    """A client that no plug-in knows: the model passes on the session id that its first read gave."""

    harness = "mcp"

    def __init__(self, session: str, cwd: Path) -> None:
        self.session = session
        self._cwd = cwd
        self._given = ""

    def start(self, source: str) -> None:
        """See :class:`Manners`."""

    def prompt(self, text: str) -> None:
        """See :class:`Manners`."""

    def tool(self, path: str) -> None:
        """See :class:`Manners`."""

    def before(self, tool: str, use: str) -> None:
        """See :class:`Manners`."""

    def meta(self, use: str) -> Mapping[str, object]:
        """See :class:`Manners`."""
        return {}

    def arguments(self) -> Mapping[str, object]:
        """See :class:`Manners`."""
        return {"session_id": self._given} if self._given else {}

    def heard(self, answer: Answer) -> None:
        """See :class:`Manners`."""
        given = _GIVEN.search(answer.text)
        if given:
            self._given = given.group(1)
        elif answer.is_error and "is not known; one ends 24 hours" in answer.text:
            self._given = ""
