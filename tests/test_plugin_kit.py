"""What plug-in authors are given works as given: both templates and the example backend, from wheels alone."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
import time
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.store import Home
from kg_server.client import Client

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "search-sqlite"
PLUGINS = ("kg_harness_my_agent", "kg_search_my_index", "kg_search_sqlite")
CHOSEN = '[search]\nbackend = "sqlite"\n'
PATIENCE = 30.0


@pytest.fixture(scope="module")
def generated(
    run: Callable[..., str], tmp_path_factory: pytest.TempPathFactory, tool_environ: dict[str, str]
) -> dict[str, Path]:
    """Each template under a name of its own, made by the command of the docs page; and the example as it is."""
    folder = tmp_path_factory.mktemp("authors")
    new = [sys.executable, str(ROOT / "templates" / "new.py")]
    run([*new, "harness", "my-agent", str(folder / "agent"), "--title", "An Agent of Mine"], tool_environ)
    run([*new, "search", "my-index", str(folder / "index")], tool_environ)
    return dict(zip(PLUGINS, (folder / "agent", folder / "index", EXAMPLE), strict=True))


@pytest.fixture(scope="module")
def built(
    generated: dict[str, Path],
    uv: str,
    run: Callable[..., str],
    tmp_path_factory: pytest.TempPathFactory,
    tool_environ: dict[str, str],
) -> dict[str, Path]:
    """The wheel of each plug-in."""
    folder = tmp_path_factory.mktemp("plug-ins")
    for package in generated.values():
        run([uv, "build", "--quiet", "--wheel", "--no-sources", "--out-dir", str(folder), str(package)], tool_environ)
    return {name: next(folder.glob(f"{name}-*.whl")) for name in PLUGINS}


@pytest.fixture(scope="module")
def made(
    uv: str,
    run: Callable[..., str],
    built: dict[str, Path],
    wheels: Path,
    pins: Path,
    tmp_path_factory: pytest.TempPathFactory,
    tool_environ: dict[str, str],
) -> Callable[[str], Path]:
    """Makes environments of one package of ours and all three plug-ins; gives their ``bin`` folder."""

    def make(ours: str) -> Path:
        environment = tmp_path_factory.mktemp("installed") / "venv"
        run([uv, "venv", "--quiet", "--python", sys.executable, str(environment)], tool_environ)
        install = [uv, "pip", "install", "--quiet", "--python", str(environment / "bin" / "python")]
        options = ["--find-links", str(wheels), "--constraint", str(pins)]
        run([*install, *options, ours, *map(str, built.values())], tool_environ)
        return environment / "bin"

    return make


@pytest.fixture(scope="module")
def binaries(made: Callable[[str], Path]) -> Path:
    """The ``bin`` folder of an environment of the product and all three."""
    return made("kg-server")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A memory of its own."""
    return Home(tmp_path / "kg")


@pytest.fixture
def kg(binaries: Path, home: Home, run: Callable[..., str], tmp_path: Path) -> Callable[..., str]:
    """Runs the installed command on that memory."""
    environ = {"HOME": str(tmp_path), "KG_HOME": str(home.root), "PATH": os.defpath, "LANG": "C.UTF-8"}
    return lambda *arguments, code=0: run([str(binaries / "kg"), *arguments], environ, code)


def test_the_contract_suites_pass_beside_the_plug_in_api_and_nothing_else_of_kg(
    generated: dict[str, Path],
    made: Callable[[str], Path],
    uv: str,
    run: Callable[..., str],
    tmp_path: Path,
    tool_environ: dict[str, str],
) -> None:
    python = made("kg-plugin-testing") / "python"
    listed = json.loads(run([uv, "pip", "list", "--format", "json", "--python", str(python)], tool_environ))

    tests = [str(package / "tests") for package in generated.values()]
    options = ["-q", "--rootdir", str(tmp_path), "--import-mode=importlib", "-p", "no:cacheprovider"]
    told = run([str(python), "-P", "-m", "pytest", *options, *tests], {**tool_environ, "PYTHONDONTWRITEBYTECODE": "1"})

    assert {row["name"] for row in listed if row["name"].startswith("kg-")} == {
        *("kg-plugin-api", "kg-plugin-testing", "kg-harness-my-agent", "kg-search-my-index", "kg-search-sqlite")
    }
    assert "failed" not in told
    assert "skipped" not in told


def test_a_plug_in_of_others_requires_the_plug_in_api_alone(built: dict[str, Path]) -> None:
    for wheel in built.values():
        with zipfile.ZipFile(wheel) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
            required = Parser().parsestr(archive.read(name).decode("utf-8")).get_all("Requires-Dist")

        (one,) = required or ()
        assert re.fullmatch(r"kg-plugin-api<2,>=1\.\d+", one)


def test_a_template_connects_its_agent_and_is_taken_out_again(
    kg: Callable[..., str], home: Home, tmp_path: Path
) -> None:
    shown = json.loads(kg("plugins", "--json"))
    assert [(harness["name"], harness["title"]) for harness in shown["harnesses"]] == [("my-agent", "An Agent of Mine")]
    assert sorted(shown["search_backends"]) == ["my-index", "sqlite"]
    assert shown["problems"] == []

    settings = tmp_path / ".my-agent" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"theme": "dark"}\n', encoding="utf-8")
    try:
        kg("setup", "--harness", "my-agent", "--yes")
        connected = json.loads(settings.read_text(encoding="utf-8"))
        payload = {"session_id": "s", "cwd": str(tmp_path), "source": "startup"}
        with Client(home) as client:
            reply = client.post("/hooks/my-agent/SessionStart", {"carrier": "hook_client", "payload": payload})
        kg("uninstall", "--yes")
    finally:
        kg("stop")

    assert connected["theme"] == "dark"
    assert set(connected["hooks"]) == {"SessionStart", "UserPrompt", "AfterTool", "SessionEnd"}
    assert "kg_put_node" in json.loads(reply["output"])["context"]
    assert settings.read_text(encoding="utf-8") == '{"theme": "dark"}\n'


def test_a_backend_of_others_is_chosen_asked_and_missed_by_nobody(
    kg: Callable[..., str], home: Home, binaries: Path, uv: str, run: Callable[..., str], tool_environ: dict[str, str]
) -> None:
    home.root.mkdir()
    home.config.write_text(CHOSEN, encoding="utf-8")
    file = home.root / "state" / "search-sqlite.db"
    try:
        kg("start")
        with Client(home) as client:
            lesson = {"level": "user", "id": "ledger-closing", "gist": "The ledger closes at noon. 账本中午关闭"}
            assert not called(client, "kg_put_node", **lesson)["isError"]
            until(lambda: told(client)["state"] == "answering" and "ledger-closing" in ids_in(file))

            assert found(client, "when does the ledger close") == ["ledger-closing"]
            assert found(client, "关闭") == ["ledger-closing"]
            assert "ledger-closing" in called(client, "kg_search", query="ledger")["content"][0]["text"]
            with sqlite3.connect(file) as index:
                index.execute("delete from word")
            index.close()
            assert found(client, "ledger") == [], "it is that index which is asked"

        kg("setup", "--search", "my-index", "--yes")
        with Client(home) as client:
            assert told(client)["said"] == {"items": 1}
            assert found(client, "ledger") == ["ledger-closing"]
        home.config.write_text(CHOSEN, encoding="utf-8")
        remove = [uv, "pip", "uninstall", "--quiet", "--python", str(binaries / "python")]
        run([*remove, "kg-search-sqlite"], tool_environ)
        kg("restart")
        with Client(home) as client:
            assert found(client, "when does the ledger close") == ["ledger-closing"]
            assert not called(client, "kg_put_node", **{**lesson, "id": "harbour", "gist": "Closed in March."})[
                "isError"
            ]
            (problem,) = (client.health() or {})["problems"]
    finally:
        kg("stop")

    assert "'sqlite', which no plug-in offers" in problem["sentence"]
    assert json.loads(kg("plugins", "--json"))["search_backends"] == ["my-index"]
    run([*remove, "kg-search-my-index", "kg-harness-my-agent"], tool_environ)
    shown = json.loads(kg("plugins", "--json"))
    assert (shown["loaded"], shown["harnesses"], shown["search_backends"], shown["problems"]) == ([], [], [], [])


def called(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    result: dict[str, Any] = client.post("/mcp", body)["result"]
    return {"isError": False, **result}


def found(client: Client, query: str) -> list[str]:
    answer = client.get("/api/v1/search", {"cwd": "/", "query": query})
    assert answer["degraded"] == ""
    return [node["id"] for node in answer["nodes"]]


def told(client: Client) -> dict[str, Any]:
    search: dict[str, Any] = (client.health() or {}).get("search", {})
    return {"state": "", **search}


def ids_in(file: Path) -> set[str]:
    index = sqlite3.connect(file)
    try:
        return {row[0] for row in index.execute("select id from item")}
    finally:
        index.close()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
