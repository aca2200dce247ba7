"""The main job through a client that knows nothing but MCP: no hooks, started anywhere, as Claude Desktop is."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp", reason="the official SDK is not installed; `uv sync` brings it")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

MAP = """\
[[component]]
slug = "pay"
paths = ["pay/**"]

[[constraint]]
component = "pay"
title = "Money"
statement = "Amounts are integers of the smallest unit."
"""


@pytest.fixture(scope="module")
def server(start: Callable[..., Any]) -> Any:
    return start()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a map of rules."""
    folder = tmp_path / "shop"
    (folder / ".kg").mkdir(parents=True)
    (folder / ".kg" / "map.toml").write_text(MAP, encoding="utf-8")
    (folder / "pay").mkdir()
    (folder / "pay" / "worker.py").write_text("", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


@asynccontextmanager
async def desktop(server: Any) -> AsyncIterator[Client]:
    """A client as a desktop starts it: in the root folder, with the command that the documentation gives."""
    command = ["-P", "-m", "kg_server", "mcp", "--harness", "mcp", "--home", str(server.home.root)]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
    transport = stdio_client(StdioServerParameters(command=sys.executable, args=command, env=environ, cwd="/"))
    async with Client(transport, mode="legacy") as client:
        yield client


async def said(client: Client, tool: str, **arguments: object) -> str:
    """What a tool replies."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error is False, result
    text: str = result.content[0].text
    return text


def test_the_texts_tell_it_to_read_first_with_the_folder_of_the_project(server: Any) -> None:
    async def talk() -> tuple[str, dict[str, Any]]:
        async with desktop(server) as client:
            listed = await client.list_tools()
            return client.instructions or "", {tool.name: tool for tool in listed.tools}

    instructions, tools = asyncio.run(talk())

    assert "First kg_read with cwd" in instructions.splitlines()[0]
    assert tools["kg_read"].description.startswith("CALL THIS FIRST in every session, with cwd")
    assert "cwd" in tools["kg_read"].input_schema["properties"]
    assert "before you change a file" in tools["kg_rules"].description


def test_what_one_such_client_learned_the_next_one_reads_at_its_start(server: Any, project: Path) -> None:
    gist = "Retries of the payment worker need jitter."

    async def talk() -> tuple[str, str, str]:
        async with desktop(server) as first:
            await said(first, "kg_read", cwd=str(project))
            await said(first, "kg_put_node", level="project", id="payment-retries-need-jitter", gist=gist)
        async with desktop(server) as second:
            opened = await said(second, "kg_read", cwd=str(project))
            found = await said(second, "kg_search", query="why do payment retries come at once")
            return opened, found, await said(second, "kg_rules", path=str(project / "pay" / "worker.py"))

    opened, found, rules = asyncio.run(talk())

    assert gist in opened
    assert "payment-retries-need-jitter" in found
    assert "Amounts are integers of the smallest unit." in rules


def test_what_others_save_meanwhile_comes_with_the_next_reply_once(server: Any, project: Path) -> None:
    gist = "The bank answers 429 for minutes after a burst."

    async def talk() -> tuple[str, str, str]:
        async with desktop(server) as one, desktop(server) as other:
            await said(one, "kg_read", cwd=str(project))
            await said(other, "kg_read", cwd=str(project))
            await said(other, "kg_put_node", level="project", id="bank-answers-429-after-bursts", gist=gist)
            next_reply = await said(one, "kg_search", query="something else entirely")
            after = await said(one, "kg_search", query="yet another subject")
            return next_reply, after, await said(other, "kg_search", query="yet another subject")

    told, again, by_itself = asyncio.run(talk())

    assert gist in told
    assert gist not in again
    assert gist not in by_itself


def test_without_the_folder_it_is_told_that_there_is_no_project_and_how_to_name_one(server: Any, project: Path) -> None:
    async def talk() -> tuple[str, str]:
        async with desktop(server) as client:
            return await said(client, "kg_read"), await said(client, "kg_read", cwd=str(project))

    without, named = asyncio.run(talk())

    assert "kg_read with cwd, the project's absolute path" in without
    assert "kg_read with cwd, the project's absolute path" not in named
