"""A client that outlives the server it talked to, and holds on to whatever it was once given."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

CALL = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kg_search", "arguments": {"query": "x"}}}
).encode()
SESSIONS = [{}, {"Mcp-Session-Id": "of-the-server-before"}, {"Mcp-Session-Id": "0" * 32}, {"Mcp-Session-Id": ""}]


def test_a_call_works_after_a_restart_whatever_session_it_names(start: Callable[..., Any], tmp_path: Path) -> None:
    root = tmp_path / "kg home"
    for life in range(2):
        server = start(root)
        for session in SESSIONS:
            answer = server.ask("POST", "/mcp", CALL, session)
            assert answer.status == 200, f"life {life}, {session}: {answer}"
            assert "isError" not in answer.json["result"] or not answer.json["result"]["isError"]
        server.stop()


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_stream_to_open_and_no_session_to_end(start: Callable[..., Any], method: str) -> None:
    server = start()

    for session in SESSIONS:
        headers = {"Accept": "text/event-stream", **session}
        assert server.ask(method, "/mcp", headers=headers).status == 405
