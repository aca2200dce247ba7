"""The results that depend on nothing but the harness: what shim and server both answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_server.carrier import protocol
from kg_server.carrier.version import VERSION

if TYPE_CHECKING:
    from kg_server.interface import MemoryService, ToolSpec

_SERVER = {"name": "kg", "title": "kg memory", "version": VERSION}
_CAPABILITIES: dict[str, object] = {"tools": {}}


def discover(memory: MemoryService, harness: str) -> dict[str, object]:
    """The result of ``server/discover``."""
    return {
        "supportedVersions": list(protocol.SUPPORTED),
        "capabilities": _CAPABILITIES,
        "instructions": memory.instructions(harness),
        "_meta": {protocol.SERVER_KEY: _SERVER},
    }


def initialize(memory: MemoryService, harness: str) -> dict[str, object]:
    """The result of ``initialize``, in the newest revision that has it."""
    return {
        "protocolVersion": protocol.HANDSHAKE[0],
        "capabilities": _CAPABILITIES,
        "serverInfo": _SERVER,
        "instructions": memory.instructions(harness),
    }


def tools(memory: MemoryService, harness: str) -> dict[str, object]:
    """The result of ``tools/list``: all of them, without the hidden tool of the hooks."""
    return {"tools": [_tool(spec) for spec in memory.tools(harness)]}


def _tool(spec: ToolSpec) -> dict[str, object]:
    shown: dict[str, object] = {
        "name": spec.name,
        "description": spec.description,
        "inputSchema": dict(spec.input_schema),
    }
    if spec.annotations:
        shown["annotations"] = dict(spec.annotations)
    if spec.meta:
        shown["_meta"] = dict(spec.meta)
    return shown
