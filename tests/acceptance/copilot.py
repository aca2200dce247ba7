"""Drives the real Copilot CLI against a scripted model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .endpoint import Endpoint
    from .machine import Machine

TOOL: Final = "kg-"
"""What the client puts before the names of kg's tools."""

_QUIET: Final = {
    "COPILOT_OFFLINE": "true",
    "COPILOT_AUTO_UPDATE": "false",
    "COPILOT_MODEL": "scripted-model",
    "COPILOT_PROVIDER_API_KEY": "not-a-key",
}
_PERMITTED: Final = ("--allow-tool", "shell", "--allow-tool", "write")
"""What a headless run needs for the client's own tools, and nothing for kg's."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run said: its session and its last words."""

    session: str
    said: str


class Copilot:
    """The client as its user has it, but for the model, which the environment names."""

    def __init__(self, machine: Machine, model: Endpoint, unpacked: Path) -> None:
        self._machine = machine
        self.model = model
        self.config = machine.home / ".copilot"
        self.config.mkdir()
        cache = machine.home / ".cache" / "copilot"
        cache.mkdir(parents=True)
        (cache / "pkg").symlink_to(unpacked)

    def environ(self, **extra: str) -> dict[str, str]:
        """What the client needs to know of the model, and to stay quiet."""
        return {**_QUIET, "COPILOT_PROVIDER_BASE_URL": f"{self.model.url}/v1", **extra}

    def run(self, prompt: str, cwd: Path, *arguments: str, resume: str = "", **extra: str) -> Run:
        """One headless run that may read and write files; ``extra`` is more environment."""
        command = ["copilot", "-p", prompt, "--output-format", "json", *_PERMITTED, *arguments]
        command += [f"--resume={resume}"] if resume else []
        done = self._machine.run(*command, cwd=cwd, extra=self.environ(**extra))
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        said = [event["data"]["content"] for event in events if event.get("type") == "assistant.message"]
        session = next(str(event["sessionId"]) for event in events if event.get("type") == "result")
        return Run(session=session, said=said[-1] if said else "")

    def talk(self, cwd: Path) -> Talk:
        """One session with several prompts in one process."""
        return Talk(self._machine, self.environ(), cwd)


class Talk:
    """A running client that takes one prompt after the other, through its interface for editors."""

    def __init__(self, machine: Machine, environ: Mapping[str, str], cwd: Path) -> None:
        self._client = machine.open("copilot", "--acp", *_PERMITTED, cwd=cwd, extra=environ)
        self._calls = 0
        try:
            self._call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
            started = self._call("session/new", {"cwd": str(cwd), "mcpServers": []})
        except BaseException:
            self._client.close()
            raise
        self._session = started["sessionId"]

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def say(self, prompt: str) -> None:
        """Sends a prompt and waits for the end of the turn."""
        self._call("session/prompt", {"sessionId": self._session, "prompt": [{"type": "text", "text": prompt}]})

    def _call(self, method: str, params: Mapping[str, object]) -> Mapping[str, Any]:
        """The result of a call. What the client asks meanwhile is not answered: nothing should need a person."""
        self._calls += 1
        self._client.send({"jsonrpc": "2.0", "id": self._calls, "method": method, "params": dict(params)})
        for message in self._client.lines():
            assert "method" not in message or "id" not in message, f"the client asks: {message}"
            if message.get("id") == self._calls:
                assert "result" in message, message
                result: Mapping[str, Any] = message["result"]
                return result
        raise AssertionError(f"no answer to {method}")
