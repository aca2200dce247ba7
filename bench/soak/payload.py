"""20 MB that somebody sends by mistake: over HTTP, to a shim, and to the hook client."""

from __future__ import annotations

import json
import select
import socket
import time
from typing import TYPE_CHECKING, Final

from kg_server.carrier.places import Places
from kg_server.carrier.wire import endpoint
from soak.carriers import Outside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kg_core.store import Home

SIZE: Final = 20_000_000
_CHUNK: Final = 1 << 16
_SECONDS: Final = 30.0


def failures(home: Home, python: str, cwd: Path) -> Iterator[str]:
    """Where it was not refused clearly: what was answered instead."""
    status = over_http(home)
    if status != 413:
        yield f"20 MB over HTTP were answered with status {status}, not 413"
    shim = Outside(home, "mcp", cwd, python)
    try:
        answer = shim.send_whole(json.dumps(_call("x" * SIZE)).encode())
        sentence = str(answer.get("error", {}).get("message", ""))
        if "larger than" not in sentence:
            yield f"20 MB to a shim were answered with {answer!r:.200}"
        event = {"session_id": "s", "filler": "x" * SIZE}
        said = shim.event("SessionStart", "hook_client", event, starts=True, arrived=None)
        if said:
            yield f"20 MB to the hook client were answered with {said!r:.200}"
    finally:
        shim.close()


def over_http(home: Home) -> int:
    """The status that a client gets that sends 20 MB and listens meanwhile; 0 when it gets none."""
    where = endpoint(Places(str(home.root)).server)
    if where is None:
        return 0
    head = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{where.port}",
        f"Authorization: Bearer {where.token}",
        "Content-Type: application/json",
        f"Content-Length: {SIZE}",
    ]
    deadline = time.monotonic() + _SECONDS
    with socket.create_connection(("127.0.0.1", where.port), timeout=_SECONDS) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        left = SIZE
        while time.monotonic() < deadline:
            readable, writable, _ = select.select([connection], [connection] if left else [], [], 1.0)
            if readable:
                words = connection.recv(_CHUNK).split(b" ", 2)
                return int(words[1]) if len(words) == 3 else 0
            if writable:
                left -= connection.send(b"x" * min(left, _CHUNK))
    return 0


def _call(text: str) -> dict[str, object]:
    arguments = {"level": "user", "id": "far-too-large", "gist": text}
    call = {"name": "kg_put_node", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
