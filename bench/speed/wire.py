"""A client that keeps its connection, so that what is measured is the server and one round trip."""

from __future__ import annotations

import http.client
import itertools
import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT = 300.0
IDLE = 4.0
"""Seconds after which a connection is opened anew: servers drop idle ones, uvicorn by default after five."""


class Connection:
    """One kept HTTP connection to a server on loopback. Not for use by several threads."""

    def __init__(self, port: int, headers: Mapping[str, str] | None = None) -> None:
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **(headers or {}),
        }
        self._ids = itertools.count(1)
        self._used = 0.0

    def get(self, path: str) -> str:
        """The body of a GET; an error status is an error."""
        return self._request("GET", path, None)

    def post(self, path: str, body: object) -> str:
        """The body of a POST of JSON; an error status is an error."""
        return self._request("POST", path, json.dumps(body).encode("utf-8"))

    def call(
        self, path: str, tool: str, arguments: Mapping[str, object], meta: Mapping[str, object] | None = None
    ) -> str:
        """The text of an MCP tool's reply; a reply that is an error is an error."""
        parameters: dict[str, object] = {"name": tool, "arguments": dict(arguments)}
        if meta:
            parameters["_meta"] = dict(meta)
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": "tools/call", "params": parameters}
        result = json.loads(self.post(path, request))["result"]
        text = "\n".join(part["text"] for part in result["content"])
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {text}")
        return text

    def close(self) -> None:
        """Lets go of the connection."""
        self._http.close()

    def _request(self, method: str, path: str, body: bytes | None) -> str:
        if time.monotonic() - self._used > IDLE:
            self._http.close()  # the next request opens it
        self._http.request(method, path, body=body, headers=self._headers)
        with self._http.getresponse() as response:
            text = response.read().decode("utf-8")
        self._used = time.monotonic()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {text[:300]}")
        return text
