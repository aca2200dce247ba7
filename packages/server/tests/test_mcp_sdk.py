"""The official SDK's client, in both generations, over HTTP and over the shim."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kg_server.carrier import shim as carrier

pytest.importorskip("mcp", reason="the official SDK is not installed; `uv sync` brings it")

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

RUN = Path(carrier.__file__).with_name("run.py")
MODES = ["legacy", "auto", "2026-07-28"]


@asynccontextmanager
async def over_http(served, mode: str):
    headers = {"Authorization": f"Bearer {served.where.token}"}
    async with httpx2.AsyncClient(headers=headers) as web:
        transport = streamable_http_client(f"http://127.0.0.1:{served.where.port}/mcp", http_client=web)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def over_shim(served, mode: str):
    arguments = ["-I", "-S", str(RUN), "mcp", "--harness", "plain", "--home", str(served.home.root)]
    transport = stdio_client(StdioServerParameters(command=sys.executable, args=arguments))
    async with Client(transport, mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", [over_http, over_shim])
def test_the_official_client_lists_and_calls_tools(served, way, mode: str) -> None:
    async def talk() -> tuple[object, ...]:
        async with way(served, mode) as client:
            listed = await client.list_tools()
            called = await client.call_tool("kg_read", {"id": "a"})
            failed = await client.call_tool("fails", {})
            return listed, called, failed

    listed, called, failed = asyncio.run(talk())

    assert [tool.name for tool in listed.tools] == ["kg_read"]
    assert (called.content[0].text, called.is_error) == ("remembered", False)
    assert failed.is_error is True
    assert [call.name for call in served.memory.calls] == ["kg_read", "fails"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("way", [over_http, over_shim])
def test_the_official_client_is_given_the_instructions(served, way, mode: str) -> None:
    async def talk() -> str | None:
        async with way(served, mode) as client:
            return client.instructions

    assert asyncio.run(talk()).startswith("Instructions for")


def test_a_restart_in_between_goes_unnoticed_by_the_official_client(served_later) -> None:
    """The server is stateless: an old session id, or none, means nothing to the new one."""

    async def talk() -> list[str]:
        said = []
        first = served_later()
        async with over_shim(first, "legacy") as client:
            said.append((await client.call_tool("kg_read", {})).content[0].text)
            await asyncio.to_thread(first.stop)
            await asyncio.to_thread(served_later)
            said.append((await client.call_tool("kg_read", {})).content[0].text)
        return said

    assert asyncio.run(talk()) == ["remembered", "remembered"]
