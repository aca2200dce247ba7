"""Where an agent stands: every door finds the same project there, and nothing is left behind or run on the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.store import Home
from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_plugin_api import Unit
from kg_server.client import Client
from kg_server.lifecycle.control import Control
from kg_server.setup.launch import launch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

SHELL_FILES = [".profile", ".bash_profile", ".bash_login", ".bashrc", ".zshenv", ".zprofile", ".zshrc"]
GIST = "Kettles whistle by two holes."


@pytest.fixture
def person(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a checkout, a linked work tree, a link into the checkout and a folder without git."""
    person = tmp_path_factory.mktemp("person")
    app = person / "work" / "app"
    (app / "docs" / "models").mkdir(parents=True)
    (person / "work" / "plain").mkdir()
    identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
    for arguments in (
        ["init", "-q"],
        [*identity, "commit", "-q", "--allow-empty", "-m", "first"],
        ["worktree", "add", "-q", str(person / "work" / "feature")],
    ):
        subprocess.run(["git", *arguments], cwd=app, check=True, capture_output=True)
    (person / "work" / "link").symlink_to(app / "docs")
    return person


def run(command: list[str], payload: object, cwd: Path, **environ: str) -> bytes:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "CLAUDE", "CODEX"))}
    sent = json.dumps(payload).encode() + b"\n"
    done = subprocess.run(
        command, input=sent, capture_output=True, cwd=cwd, env={**inherited, **environ}, timeout=30, check=True
    )
    assert done.stderr == b""
    return done.stdout


def fired(home: Home, native: str, cwd: Path, told: str = "", **environ: str) -> str:
    """What a hook command of Claude Code prints for an event of a new session in a folder, which it calls ``told``."""
    payload = {
        "session_id": f"in {told or cwd}",
        "cwd": told or str(cwd),
        "source": "startup",
        "prompt": "Why do kettles whistle?",
        "tool_name": "Read",
        "tool_use_id": "t-1",
        "tool_input": {"file_path": str(cwd / "a.txt")},
    }
    return run(["/bin/sh", "-c", launch(home, CLAUDE).hook[native]], payload, cwd, **environ).decode()


def called(home: Home, tool: str, arguments: dict[str, object], cwd: Path, **environ: str) -> str:
    """What a tool says behind a shim that was started in a folder."""
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    result = json.loads(run(list(launch(home, CODEX).shim), message, cwd, **environ))["result"]
    assert result.get("isError") is not True, result
    return str(result["content"][0]["text"])


def test_hook_shim_and_command_line_find_one_project_from_every_folder_of_it(
    start: Callable[..., Any], person: Path
) -> None:
    server = start(person / "kg home", HOME=str(person))
    work = person / "work"
    called(server.home, "kg_put_node", {"level": "project", "id": "kettle", "gist": GIST}, work / "app" / "docs")

    for place in ("app", "app/docs/models", "feature", "link", "link/models"):
        assert GIST in fired(server.home, "SessionStart", work / place), place
        assert GIST in called(server.home, "kg_search", {"query": "kettles"}, work / place), place
        with Client(server.home) as client:
            found = client.get(f"/api/v1/search?query=kettles&cwd={work / place}")
        assert GIST in found["text"], place
    for place in (work / "plain", work, person):
        assert GIST not in fired(server.home, "SessionStart", place), place


def test_a_folder_whose_name_is_not_utf_8_is_one_project_everywhere(start: Callable[..., Any], person: Path) -> None:
    """A client that hands its events on as text names such a folder with a mark in place of what it cannot write."""
    server = start(person / "odd home", HOME=str(person))
    place = person / "work" / os.fsdecode(b"caf\xe9")
    told = f"{place.parent}/caf\ufffd"
    place.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=place, check=True)

    called(server.home, "kg_put_node", {"level": "project", "id": "kettle", "gist": GIST}, place)

    assert GIST in fired(server.home, "SessionStart", place, told)
    assert GIST in called(server.home, "kg_search", {"query": "kettles"}, place)
    with Client(server.home) as client:
        assert GIST in client.get("/api/v1/search", {"query": "kettles", "cwd": str(place)})["text"]
        assert "no map yet" in client.get("/api/v1/map/check", {"cwd": str(place)})["text"]
    assert [path.name for path in server.home.projects.iterdir()] == ["caf"]


def test_nothing_is_created_where_an_agent_stands(start: Callable[..., Any], person: Path) -> None:
    server = start(HOME=str(person))
    before = sorted(str(path) for path in person.rglob("*"))

    for place in ("app/docs/models", "feature", "plain"):
        cwd = person / "work" / place
        for spec in CLAUDE.events:
            fired(server.home, spec.native, cwd, HOME=str(person))
        node = {"level": "project", "id": f"kettle-{cwd.name}", "gist": f"{GIST} ({place})"}
        called(server.home, "kg_put_node", node, cwd, HOME=str(person))
    server.stop()

    assert sorted(str(path) for path in person.rglob("*")) == before
    assert len(list(server.home.projects.iterdir())) == 2


def test_an_event_runs_no_git_and_reads_no_file_of_a_shell(
    start: Callable[..., Any], person: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    ran.mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    git = programs / "git"
    git.write_text(f'#!/bin/sh\n: > "{ran}/git"\nexec "{shutil.which("git")}" "$@"\n', encoding="utf-8")
    git.chmod(0o755)
    for name in SHELL_FILES:
        (person / name).write_text(f': > "{ran}/{name}"\n', encoding="utf-8")
    environ = {"HOME": str(person), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    server = start(**environ)
    work = person / "work"
    called(server.home, "kg_put_node", {"level": "project", "id": "kettle", "gist": GIST}, work / "app", **environ)

    for place in ("app", "app/docs/models", "feature", "plain"):
        for spec in CLAUDE.events:
            fired(server.home, spec.native, work / place, **environ)
        called(server.home, "kg_search", {"query": "kettles"}, work / place, **environ)

    assert [path.name for path in ran.iterdir()] == []


@pytest.fixture(params=["C", "en_US"])
def old_locale(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a locale that knows no letters but ASCII, or none but Latin-1."""
    environ = {"LC_ALL": request.param, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    if request.param == "C":
        return environ
    folder = tmp_path_factory.mktemp("locales")
    localedef = shutil.which("localedef") or "false"
    made = [localedef, "-i", request.param, "-f", "ISO-8859-1", str(folder / request.param)]
    if subprocess.run(made, capture_output=True, check=False).returncode != 0:
        pytest.skip("no Latin-1 locale can be made here; the distribution's package `locales` brings its sources")
    return {**environ, "LOCPATH": str(folder)}


def test_all_works_where_the_locale_is_not_of_utf_8(old_locale: dict[str, str], tmp_path: Path) -> None:
    """The server is started by the shim, as on a machine on which nothing of kg runs yet."""
    environ = {"HOME": str(tmp_path), **old_locale}
    home, place = Home(tmp_path / "Gedächtnis 部"), tmp_path / "Ablage 署"
    place.mkdir()
    home.memory.mkdir(parents=True)
    home.config.write_text("[server]\nport = 0\n", encoding="utf-8")
    by_hand = json.dumps({"nodes": {"by-hand": {"gist": "Größe 🔥"}}}, ensure_ascii=False, indent=1)
    home.graph("user").write_bytes(by_hand.replace("\n", "\r\n").encode("utf-8-sig"))

    try:
        called(home, "kg_put_node", {"level": "project", "id": "ü", "gist": "été 部署"}, place, **environ)
        started = json.loads(fired(home, "SessionStart", place, **environ))
    finally:
        Control(home).stop()

    text = started["hookSpecificOutput"]["additionalContext"]
    assert "Größe 🔥" in text
    assert "été 部署" in text
    (graph,) = home.projects.glob("*/graph.json")
    assert json.loads(graph.read_bytes().decode("utf-8"))["nodes"]["ü"]["gist"] == "été 部署"


@pytest.mark.parametrize("word", ["claim ", "主張", "🧪🔬", '"\\ '], ids=["ascii", "cjk", "emoji", "escaped"])
def test_what_a_client_reads_of_a_preload_keeps_its_limit_frame_and_all(
    start: Callable[..., Any], tmp_path: Path, word: str
) -> None:
    """The limits hold for what is left when the client has taken the reply apart."""
    root = tmp_path / "kg home"
    (root / "memory").mkdir(parents=True)
    gists = {f"n{number:03}": f"{number} {word * 12}end" for number in range(400)}
    nodes = {
        name: {"gist": gist, "created": f"2026-06-01T00:00:00.{number:03}Z"}
        for number, (name, gist) in enumerate(gists.items())
    }
    (root / "memory" / "user.json").write_text(json.dumps({"nodes": nodes}), encoding="utf-8")
    server = start(root)

    for harness, unit, limit in ((CLAUDE, Unit.UTF16, 9_500), (CODEX, Unit.BYTES, 9_000)):
        reply = server.event(harness.name, "SessionStart", session_id="s", cwd=str(tmp_path), source="startup")
        output = json.loads(reply.json["output"])["hookSpecificOutput"]["additionalContext"]
        assert 0.9 * limit < unit.measure(output) <= limit
        first, last = output.splitlines()[0], output.splitlines()[-1]
        assert first.startswith("<kg-memory")
        assert last.startswith("</kg-memory")
        shown = [line.strip() for line in output.splitlines() if line.strip().startswith("n") and ": " in line]
        assert len(shown) > 20
        assert all(gists[name] == gist for name, _, gist in (line.partition(": ") for line in shown if line[4] == ":"))
