"""Drives the real Claude Code against a scripted model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .endpoint import Endpoint
    from .machine import Machine

TOOL: Final = "mcp__plugin_kg_kg__"
"""What the client puts before the names of kg's tools."""

_QUIET: Final = {
    "ANTHROPIC_API_KEY": "not-a-key",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
}


@dataclass(frozen=True, slots=True)
class Run:
    """What one run said: its session, its last words, and the events in between."""

    session: str
    said: str
    events: tuple[Mapping[str, Any], ...]


class Claude:
    """The client, with the permissions that a headless run needs for its own tools."""

    def __init__(self, machine: Machine, model: Endpoint) -> None:
        self._machine = machine
        self.model = model
        self.config = machine.home / ".claude"
        self.allow("Read", "Edit", "Bash")

    def allow(self, *rules: str) -> None:
        """Writes the user's own settings, as they were before kg came."""
        self.config.mkdir(exist_ok=True)
        settings = {"permissions": {"allow": list(rules)}}
        (self.config / "settings.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")

    def environ(self) -> dict[str, str]:
        """What the client needs to know of the model, and to stay quiet."""
        return {**_QUIET, "ANTHROPIC_BASE_URL": self.model.url}

    def run(self, prompt: str, cwd: Path, *arguments: str, resume: str = "") -> Run:
        """One headless run."""
        command = ["claude", "-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events"]
        command += ["--resume", resume] if resume else []
        done = self._machine.run(*command, *arguments, cwd=cwd, extra=self.environ())
        return _run([json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")])

    def talk(self, cwd: Path, *arguments: str) -> Talk:
        """One session with several prompts in one process."""
        return Talk(self._machine, self.environ(), cwd, arguments)


class Talk:
    """A running client that takes one prompt after the other."""

    def __init__(self, machine: Machine, environ: Mapping[str, str], cwd: Path, arguments: Sequence[str] = ()) -> None:
        streams = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        self._client = machine.open("claude", "-p", *streams, *arguments, cwd=cwd, extra=environ)

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def say(self, prompt: str) -> Run:
        """Sends a prompt and waits for the end of the turn."""
        self._client.send({"type": "user", "message": {"role": "user", "content": prompt}})
        seen: list[Mapping[str, Any]] = []
        for event in self._client.lines():
            seen.append(event)
            if event.get("type") == "result":
                break
        return _run(seen)


def _run(events: list[Mapping[str, Any]]) -> Run:
    result = next((event for event in reversed(events) if event.get("type") == "result"), None)
    assert result is not None, f"no result: {events[-3:]}"
    assert not result.get("is_error"), result
    return Run(session=str(result["session_id"]), said=str(result.get("result", "")), events=tuple(events))
