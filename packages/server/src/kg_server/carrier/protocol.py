"""What shim and server both know of MCP: revisions, error codes, and the shapes of answers."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MODERN = "2026-07-28"
"""The revision in which every request stands alone and says its revision in ``_meta``."""
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26")
"""The revisions that begin with ``initialize``, newest first."""
SUPPORTED = (MODERN, *HANDSHAKE)

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

EVENT_TOOL = "kg_event"
"""The tool that MCP-tool hooks call; ``tools/list`` does not show it."""
BATCHES = "Batches are not supported: send one JSON-RPC message at a time."

_FRESH_MILLISECONDS = 60_000


def decoded(text: bytes) -> object:
    """The JSON value that ``text`` is. Raises ValueError, or RecursionError for one nested beyond all sense."""
    return json.loads(text, parse_constant=_refused)


def encoded(value: object) -> bytes:
    """``value`` as JSON in UTF-8. Half a surrogate pair, which UTF-8 cannot hold, is escaped and read as it was."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def is_request_id(value: object) -> bool:
    """Whether this can be the id of a request: text or a finite number."""
    if isinstance(value, float):
        return value - value == 0
    return isinstance(value, str | int) and not isinstance(value, bool)


def meta_of(message: Mapping[str, object]) -> Mapping[str, object]:
    """The ``_meta`` of a request; empty when it has none."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def stands_alone(message: Mapping[str, object]) -> bool:
    """Whether a request is of the revision that has no handshake."""
    return VERSION_KEY in meta_of(message) or message.get("method") == "server/discover"


def negotiated(result: Mapping[str, object], message: Mapping[str, object]) -> dict[str, object]:
    """The result of ``initialize`` in the revision that the client asks for, or else in the newest we know."""
    params = message.get("params")
    asked = params.get("protocolVersion") if isinstance(params, dict) else None
    return {**result, "protocolVersion": asked if asked in HANDSHAKE else HANDSHAKE[0]}


def complete(result: Mapping[str, object], *, cacheable: bool = False) -> dict[str, object]:
    """A result as the newest revision wants it."""
    hints: dict[str, object] = {"ttlMs": _FRESH_MILLISECONDS, "cacheScope": "private"} if cacheable else {}
    return {"resultType": "complete", **hints, **result}


def answer(request: object, result: Mapping[str, object]) -> dict[str, object]:
    """The response to the request with this id."""
    return {"jsonrpc": "2.0", "id": request, "result": result}


def failure(request: object, code: int, sentence: str, data: Mapping[str, object] | None = None) -> dict[str, object]:
    """The error response to the request with this id (None when it has none that can be read)."""
    error: dict[str, object] = {"code": code, "message": sentence}
    if data is not None:
        error["data"] = dict(data)
    return {"jsonrpc": "2.0", "id": request, "error": error}


def text_result(text: str, *, is_error: bool = False) -> dict[str, object]:
    """The result of a tool call: text alone."""
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
