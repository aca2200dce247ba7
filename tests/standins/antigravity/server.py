"""An MCP server of a plug-in, as the client starts it and talks to it."""

from __future__ import annotations

import json
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Final

from .evidence import plays

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_PATIENCE: Final = 60.0
_REVISION: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "antigravity-client", "version": "1.2.16"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    """A process that is talked to in lines of JSON."""

    @plays("discover")
    def __init__(self, command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command, cwd=cwd, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._calls = 0
        self.ask("server/discover", {})
        self.tools: list[str] = [tool["name"] for tool in self.ask("tools/list", {})["tools"]]

    @plays("call-meta")
    def call(self, tool: str, arguments: Mapping[str, object], conversation: str) -> tuple[str, bool]:
        """The text of a tool's result, and whether it is an error."""
        meta = {"antigravity.google/conversation_id": conversation}
        result = self.ask("tools/call", {"name": tool, "arguments": arguments}, meta)
        return "".join(part["text"] for part in result["content"]), bool(result.get("isError"))

    def ask(self, method: str, params: Mapping[str, object], meta: Mapping[str, object] | None = None) -> Any:
        """The result of one request."""
        self._calls += 1
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        sent = {"jsonrpc": "2.0", "id": self._calls, "method": method}
        message = {**sent, "params": {**params, "_meta": {**_REVISION, **(meta or {})}}}
        stdin.write(json.dumps(message).encode() + b"\n")
        stdin.flush()
        watchdog = threading.Timer(_PATIENCE, self._process.kill)
        watchdog.start()
        try:
            for line in stdout:
                answer = json.loads(line)
                if answer.get("id") == self._calls:
                    return answer["result"]
        finally:
            watchdog.cancel()
        raise AssertionError(f"the server ended before it answered {method}")

    def close(self) -> None:
        """Ends the process, as its client's end would."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.close()
        try:
            self._process.wait(_PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            stdout.close()
