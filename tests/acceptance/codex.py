"""Drives the real Codex against a scripted model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .endpoint import Endpoint
    from .machine import Machine

SERVER: Final = "mcp__kg"
"""The namespace of kg's tools."""

MODEL: Final = "scripted-model"
"""A model that the client does not know: it is offered every tool directly."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run said: its session and its last words."""

    session: str
    said: str


class Codex:
    """The client, told on the command line which model to use, so that its settings hold only what a user has."""

    def __init__(self, machine: Machine, model: Endpoint) -> None:
        self._machine = machine
        self.model = model
        self.config = machine.home / ".codex"
        self.config.mkdir()

    def options(self, *settings: str, model: str = MODEL) -> list[str]:
        """The command line's ``-c`` pairs."""
        provider = f'{{name="scripted",base_url="{self.model.url}/v1",wire_api="responses"'
        provider += ",request_max_retries=0,stream_max_retries=0}"
        given = (
            f'model="{model}"',
            'model_provider="scripted"',
            f"model_providers.scripted={provider}",
            "analytics.enabled=false",
            "check_for_update_on_startup=false",
            *settings,
        )
        return [argument for setting in given for argument in ("-c", setting)]

    def run(
        self,
        prompt: str,
        cwd: Path,
        *settings: str,
        resume: str = "",
        fork: str = "",
        model: str = MODEL,
        trust: bool = False,
    ) -> Run:
        """One headless run that may read and write files. ``trust`` lets hooks run that nobody has trusted."""
        more = [
            "--json",
            *(["--dangerously-bypass-hook-trust"] if trust else []),
            *self.options(*settings, model=model),
        ]
        more += ["resume", resume] if resume else ["fork", fork] if fork else []
        done = self._machine.run(*_exec(cwd), *more, prompt, cwd=cwd)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        session = next(str(event["thread_id"]) for event in events if event.get("type") == "thread.started")
        said = [
            event["item"]["text"]
            for event in events
            if event.get("type") == "item.completed" and event["item"].get("type") == "agent_message"
        ]
        return Run(session=session, said=said[-1] if said else "")

    def told(self, prompt: str, cwd: Path, *settings: str, resume: str) -> str:
        """What a run that goes on with a session tells a person, its hooks included; untrusted ones run too."""
        more = ["--dangerously-bypass-hook-trust", *self.options(*settings), "resume", resume]
        return self._machine.run(*_exec(cwd), *more, prompt, cwd=cwd).stderr

    def talk(self, cwd: Path) -> Talk:
        """One session with several prompts in one process."""
        return Talk(self._machine, self.options('sandbox_mode="danger-full-access"'), cwd)


def _exec(cwd: Path) -> tuple[str, ...]:
    return ("codex", "exec", "--skip-git-repo-check", "-C", str(cwd), "-s", "danger-full-access")


class Talk:
    """A running client that takes one prompt after the other, through its own interface for editors."""

    def __init__(self, machine: Machine, options: Sequence[str], cwd: Path) -> None:
        self._client = machine.open("codex", "app-server", *options, cwd=cwd)
        self._calls = 0
        try:
            self._call("initialize", {"clientInfo": {"name": "acceptance", "title": "acceptance", "version": "1"}})
            self._client.send({"method": "initialized"})
            started = self._call("thread/start", {"cwd": str(cwd), "approvalPolicy": "never"})
        except BaseException:
            self._client.close()
            raise
        self._thread = started["thread"]["id"]

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def say(self, prompt: str) -> None:
        """Sends a prompt and waits for the end of the turn."""
        asked = {"threadId": self._thread, "input": [{"type": "text", "text": prompt}]}
        self._call("turn/start", asked, end="turn/completed")

    def _call(self, method: str, params: Mapping[str, object], end: str = "") -> Mapping[str, Any]:
        """The result of a call, once the notification ``end`` has come as well."""
        self._calls += 1
        self._client.send({"id": self._calls, "method": method, "params": dict(params)})
        result: Mapping[str, Any] | None = None
        ended = not end
        for message in self._client.lines():
            if message.get("id") == self._calls and "method" not in message:
                assert "result" in message, message
                result = message["result"]
            ended = ended or message.get("method") == end
            if result is not None and ended:
                break
        assert result is not None
        return result
