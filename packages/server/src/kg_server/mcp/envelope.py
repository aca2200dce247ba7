"""What a posted message is and whether its envelope is right, decided without touching memory."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_server.carrier import protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

STATUS: Final[Mapping[int, int]] = MappingProxyType(
    {
        protocol.PARSE_ERROR: 400,
        protocol.INVALID_REQUEST: 400,
        protocol.INVALID_PARAMS: 400,
        protocol.HEADER_MISMATCH: 400,
        protocol.UNSUPPORTED_VERSION: 400,
        protocol.METHOD_NOT_FOUND: 404,
    }
)
"""HTTP status of an error by its JSON-RPC code, in the newest revision."""

_NAMED: Final = MappingProxyType({"tools/call": "name"})


@dataclass(frozen=True, slots=True)
class Fault(Exception):
    """What is wrong with a message: the JSON-RPC error that answers it."""

    code: int
    sentence: str
    request: object = None
    data: Mapping[str, object] | None = None
    modern: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request in order. ``modern`` says that it stands alone, as the newest revision has it."""

    id: object
    method: str
    params: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    meta: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    message: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    modern: bool = False


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that wants no answer."""

    method: str


def opened(body: bytes, headers: Mapping[str, str]) -> Request | Notification:
    """Reads a posted message. ``headers`` have lower-case names. Raises :class:`Fault`."""
    try:
        message = protocol.decoded(body)
    except (ValueError, RecursionError):
        raise Fault(protocol.PARSE_ERROR, "The body is not JSON.") from None
    if isinstance(message, list):
        raise Fault(protocol.INVALID_REQUEST, protocol.BATCHES)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        raise Fault(protocol.INVALID_REQUEST, "The body must be one JSON-RPC 2.0 request or notification.")
    method = message["method"]
    if "id" not in message:
        _check_version_header(headers)
        return Notification(method)
    identity, params = message["id"], message.get("params", {})
    if not protocol.is_request_id(identity):
        raise Fault(protocol.INVALID_REQUEST, "The id of a request is text or a number.")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise Fault(protocol.INVALID_PARAMS, "The params of a request are an object.", identity, modern=False)
    meta = protocol.meta_of(message)
    through_shim = headers.get("kg-carrier") == "shim"
    announced = headers.get("mcp-protocol-version")
    modern = protocol.stands_alone(message) or announced == protocol.MODERN
    if modern:
        _check_alone(message, meta, None if through_shim else headers)
    elif announced is not None and announced not in protocol.HANDSHAKE and method != "initialize":
        raise _unsupported(announced, identity)
    return Request(id=identity, method=method, params=params, meta=meta, message=message, modern=modern)


def _check_alone(message: Mapping[str, object], meta: Mapping[str, object], headers: Mapping[str, str] | None) -> None:
    """The rules of the newest revision; ``headers`` are None for a message that came over a pipe."""
    identity, method = message["id"], str(message["method"])
    missing = [key for key in (protocol.VERSION_KEY, protocol.CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise Fault(protocol.INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.", identity)
    version = meta[protocol.VERSION_KEY]
    if headers is not None:
        _check_headers(message, version, headers)
    if not isinstance(version, str):
        raise Fault(protocol.INVALID_PARAMS, f"{protocol.VERSION_KEY} in params._meta is text.", identity)
    if version != protocol.MODERN and not (method == "server/discover" and version in protocol.SUPPORTED):
        raise _unsupported(version, identity)


def _check_headers(message: Mapping[str, object], version: object, headers: Mapping[str, str]) -> None:
    identity, method = message["id"], str(message["method"])
    if headers.get("mcp-protocol-version") != version:
        raise Fault(protocol.HEADER_MISMATCH, "MCP-Protocol-Version and the revision in params._meta differ.", identity)
    if headers.get("mcp-method") != method:
        raise Fault(protocol.HEADER_MISMATCH, "Mcp-Method and the method of the message differ.", identity)
    key = _NAMED.get(method)
    params = message.get("params")
    named = params.get(key) if key is not None and isinstance(params, dict) else None
    if named is not None and _plain(headers.get("mcp-name")) != named:
        raise Fault(protocol.HEADER_MISMATCH, f"Mcp-Name and the {key} in params differ.", identity)


def _check_version_header(headers: Mapping[str, str]) -> None:
    announced = headers.get("mcp-protocol-version")
    if announced is not None and announced not in protocol.SUPPORTED:
        raise _unsupported(announced, None)


def _unsupported(version: str, identity: object) -> Fault:
    data = {"supported": list(protocol.SUPPORTED), "requested": version}
    return Fault(protocol.UNSUPPORTED_VERSION, "Unsupported protocol version", identity, data)


def _plain(value: str | None) -> str | None:
    """A header's value as it was before it was made fit for a header; None when that cannot be undone."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
