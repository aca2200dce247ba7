"""Stands in for kg while payloads are recorded: a hook, or an MCP server, that writes down what it is given.

    capture.py hook FILE NATIVE      one command hook
    capture.py mcp FILE              an MCP server on standard input and output

Each line of FILE is one event in the form of ``RawEvent``. Standard library only, since a client runs it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

_TOOL: Final = {
    "name": "kg_read",
    "description": "Reads.",
    "inputSchema": {"type": "object", "properties": {"size": {"type": "integer"}}},
    "annotations": {"readOnlyHint": True},
}


def main(kind: str, place: str, native: str = "") -> None:
    """Records until standard input ends."""
    file = Path(place)
    if kind == "hook":
        payload = json.load(sys.stdin)
        _write(file, {"native": native, "carrier": "hook_client", "payload": payload, "meta": {}})
        if "serverName" in payload:  # Copilot CLI asks what a call of ours shall carry
            print(json.dumps({"metaToUse": {"kg/session": payload["sessionId"]}}))
        return
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **_answer(file, message)}), flush=True)


def _answer(file: Path, message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params") or {}
    match message["method"]:
        case "initialize":
            answer = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            return {"result": {**answer, "serverInfo": {"name": "kg", "version": "0"}}}
        case "tools/list":
            return {"result": {"tools": [_TOOL]}}
        case "tools/call":
            given, meta = params.get("arguments") or {}, params.get("_meta") or {}
            if params["name"] == "kg_event":
                carried = {"native": given["event"], "carrier": "mcp_hook", "payload": given["payload"], "meta": meta}
            else:
                carried = {"native": "call", "carrier": "mcp", "payload": {}, "meta": meta}
            _write(file, carried)
            return {"result": {"content": [{"type": "text", "text": "x" * int(given.get("size", 0))}]}}
    return {"error": {"code": -32601, "message": "no such method"}}


def _write(file: Path, carried: dict[str, Any]) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(carried) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
