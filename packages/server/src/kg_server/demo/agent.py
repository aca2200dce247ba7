"""A scripted agent: it starts the carriers as a real one does, and says what it would see."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from kg_plugin_api import Code, KgError
from kg_server.carrier.protocol import EVENT_TOOL
from kg_server.demo.harness import PROMPT, SESSION, START
from kg_server.setup.launch import launch

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from kg_core.store import Home
    from kg_plugin_api import Harness

_SECONDS = 30


class Agent:
    """One session of a harness in a folder. A context manager: the shim runs as long as the session."""

    def __init__(self, home: Home, harness: Harness, cwd: Path) -> None:
        self._launch = launch(home, harness)
        self._session = f"{harness.name}-1"
        self._cwd = cwd
        self._asked = 0
        self._shim = subprocess.Popen(
            list(self._launch.shim), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd, encoding="utf-8"
        )

    def __enter__(self) -> Agent:
        """The session begins with its first event."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The agent ends, and its shim with it."""
        del kind, failure, trace
        self._shim.communicate(timeout=_SECONDS)

    def start(self) -> str:
        """The event that starts a session, by the hook client: what the model is given before the first prompt."""
        payload = {"session": self._session, "cwd": str(self._cwd)}
        done = subprocess.run(
            ["/bin/sh", "-c", self._launch.hook[START]],
            input=json.dumps(payload),
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
        return done.stdout

    def prompt(self, text: str) -> str:
        """The event of a prompt, by an MCP-tool hook: what the model is given together with it."""
        payload = {"session": self._session, "cwd": str(self._cwd), "prompt": text}
        return self.call(EVENT_TOOL, event=PROMPT, payload=payload)

    def call(self, tool: str, **arguments: object) -> str:
        """A tool call of the model: what it answers."""
        self._asked += 1
        params = {"name": tool, "arguments": arguments, "_meta": {SESSION: self._session}}
        message = {"jsonrpc": "2.0", "id": self._asked, "method": "tools/call", "params": params}
        sent, received = self._shim.stdin, self._shim.stdout
        if sent is None or received is None:
            raise KgError(Code.INTERNAL, "The shim has no pipes.")
        sent.write(json.dumps(message) + "\n")
        sent.flush()
        answer: dict[str, Any] = json.loads(received.readline() or "{}")
        if "result" not in answer:
            raise KgError(Code.UNAVAILABLE, f"The shim did not answer {tool}.")
        return "\n".join(part["text"] for part in answer["result"]["content"])
