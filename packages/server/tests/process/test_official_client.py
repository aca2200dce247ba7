"""The official SDK's client with the real memory, in both generations of the protocol, over HTTP and ``kg mcp``."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp", reason="the official SDK is not installed; `uv sync` brings it")

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

pytestmark = pytest.mark.slow

GENERATIONS = ["legacy", "2026-07-28"]
HARNESSES = ["mcp", "claude", "codex", "copilot", "a-client-nobody-knows"]
ANNOTATION = {"type", "description", "title", "enum", "items", "properties", "required", "additionalProperties"}
BOUNDS = {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"}


@pytest.fixture(scope="module")
def server(start: Callable[..., Any]) -> Any:
    return start()


@asynccontextmanager
async def over_http(server: Any, mode: str, harness: str = "") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {server.where.token}", **({"Kg-Harness": harness} if harness else {})}
    async with httpx2.AsyncClient(headers=headers) as web:
        transport = streamable_http_client(f"http://127.0.0.1:{server.where.port}/mcp", http_client=web)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def over_kg_mcp(server: Any, mode: str, harness: str = "mcp") -> AsyncIterator[Client]:
    command = ["-P", "-m", "kg_server", "mcp", "--harness", harness, "--home", str(server.home.root)]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
    transport = stdio_client(StdioServerParameters(command=sys.executable, args=command, env=environ))
    async with Client(transport, mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", GENERATIONS)
@pytest.mark.parametrize("way", [over_http, over_kg_mcp])
def test_a_lesson_is_written_found_and_read_again(server: Any, way: Any, mode: str) -> None:
    node = f"{way.__name__.replace('_', '-')}.{mode}"

    async def talk() -> list[Any]:
        async with way(server, mode) as client:
            opened = await client.call_tool("kg_read", {})
            session = opened.content[0].text.split("session_id: ")[1].split()[0] if way is over_http else ""
            told = {"session_id": session} if session else {}
            lesson = {"level": "user", "id": node, "gist": f"The {mode} client was here.", "notes": ["Über 🎉"]}
            return [
                opened,
                await client.call_tool("kg_put_node", {**lesson, **told}),
                await client.call_tool("kg_search", {"query": f"{mode} client", **told}),
                await client.call_tool("kg_read", {"ids": [node], **told}),
                await client.call_tool("kg_read", {"nonsense": True}),
                await client.call_tool("kg_no_such_tool", {}),
            ]

    *right, unknown, missing = asyncio.run(talk())

    assert [result.is_error for result in right] == [False] * 4
    assert all(len(result.content) == 1 and result.content[0].type == "text" for result in right)
    assert node in right[2].content[0].text
    assert "Über 🎉" in right[3].content[0].text
    assert unknown.is_error is True
    assert "nonsense" in unknown.content[0].text
    assert missing.is_error is True


@pytest.mark.parametrize("mode", GENERATIONS)
@pytest.mark.parametrize("way", [over_http, over_kg_mcp])
def test_the_tools_and_the_instructions_are_the_same_on_every_way(server: Any, way: Any, mode: str) -> None:
    async def talk() -> tuple[list[str], str | None]:
        async with way(server, mode) as client:
            listed = await client.list_tools()
            return [tool.name for tool in listed.tools], client.instructions

    names, instructions = asyncio.run(talk())

    assert names == [tool["name"] for tool in listed(server, "mcp")]
    assert mode != "legacy" or (instructions or "").strip()


def listed(server: Any, harness: str) -> list[dict[str, Any]]:
    """The answer of the server itself to ``tools/list``."""
    asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    tools: list[dict[str, Any]] = server.ask("POST", "/mcp", asked, {"Kg-Harness": harness}).json["result"]["tools"]
    return tools


def schemas(value: Mapping[str, Any], place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every schema in a schema, with where it stands."""
    yield place, value
    for name, inner in value.get("properties", {}).items():
        yield from schemas(inner, f"{place}.{name}")
    if "items" in value:
        yield from schemas(value["items"], f"{place}[]")


@pytest.mark.parametrize("harness", HARNESSES)
def test_no_client_is_shown_a_union_a_reference_or_a_field_without_a_type(server: Any, harness: str) -> None:
    tools = listed(server, harness)

    assert len(tools) >= 10
    assert not [
        word for word in ("$ref", "$defs", "anyOf", "oneOf", "allOf", "null") if f'"{word}"' in json.dumps(tools)
    ]
    for tool in tools:
        for place, part in schemas(tool["inputSchema"], tool["name"]):
            assert isinstance(part.get("type"), str), f"{place} has no single type: {part}"
            assert set(part) <= ANNOTATION | BOUNDS, f"{place} has {set(part) - ANNOTATION - BOUNDS}"
            if part["type"] == "object":
                assert part["additionalProperties"] is False, f"{place} is open"
                assert set(part["required"]) <= set(part["properties"]), place
            assert part["type"] != "array" or "items" in part, f"{place} does not say of what it is a list"
        assert all(part.get("description") for part in tool["inputSchema"]["properties"].values())


@pytest.mark.parametrize("harness", ["mcp", "claude", "codex", "copilot"])
def test_what_the_shim_answers_by_itself_is_what_the_server_answers(
    server: Any, harness: str, until: Callable[[Callable[[], bool]], None]
) -> None:
    written = server.home.state / "mcp" / f"{harness}.json"
    until(written.exists)
    held = json.loads(written.read_text(encoding="utf-8"))

    assert held["tools"]["tools"] == listed(server, harness)
