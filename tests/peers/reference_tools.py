"""A memory that offers the reference tools of the conformance suite instead of its own, to the same dispatcher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kg_plugin_api import Code, KgError
from kg_server.interface import EventReply, Preview, ToolCall, ToolReply, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import RawEvent

NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
NEWEST_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


class ReferenceTools:
    """Answers as the suite's descriptions of its tools say."""

    def tools(self, harness: str) -> list[ToolSpec]:
        return [
            ToolSpec(name="test_simple_text", description="Returns text.", input_schema=NOTHING),
            ToolSpec(name="test_error_handling", description="Always fails.", input_schema=NOTHING),
            ToolSpec(name="json_schema_2020_12_tool", description="Has a schema.", input_schema=NEWEST_SCHEMA),
        ]

    async def call(self, call: ToolCall) -> ToolReply:
        if call.name == "test_error_handling":
            raise KgError(Code.REFUSED, "This tool intentionally returns an error for testing")
        return ToolReply("This is a simple text response for testing.")

    async def event(self, harness: str, raw: RawEvent) -> EventReply:
        return EventReply("")

    def acknowledge(self, delivery: str, arrived: bool) -> bool:
        return False

    def instructions(self, harness: str) -> str:
        return "Tools to test with."

    def health(self) -> dict[str, object]:
        return {}

    async def preview(self, harness: str, cwd: str) -> Preview:
        raise KgError(Code.NOT_FOUND, "There is nothing to show.")

    async def show(self, cwd: str, ids: Sequence[str]) -> dict[str, object]:
        return {}

    async def search(self, cwd: str, query: str, **_: str) -> dict[str, object]:
        return {}

    def listening(self, port: int) -> None:
        return None

    async def close(self) -> None:
        return None
