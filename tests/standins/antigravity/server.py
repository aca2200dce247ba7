"""An MCP server of a plug-in, as the client starts it and talks to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...acceptance.conversation import Conversation
from .evidence import plays

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_REVISION: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "antigravity-client", "version": "1.2.16"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server(Conversation):
    """A process that is asked one thing after the other."""

    @plays("discover")
    def __init__(self, command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> None:
        super().__init__(command, cwd, environ)
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
        sent = {"jsonrpc": "2.0", "id": self._calls, "method": method}
        self.send({**sent, "params": {**params, "_meta": {**_REVISION, **(meta or {})}}})
        return next(answer["result"] for answer in self.lines() if answer.get("id") == self._calls)
