"""What users install: wheels, brought into a fresh environment by plain pip, and the server that runs from there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
TOMLS = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.glob("packages/*/pyproject.toml"))
}
NOT_RUNNING = 3
NO_TOOLS = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n'
USERS = [folder for folder in TOMLS if folder != "plugin-testing"]


def wheel_of(folder: str, wheels: Path) -> Path:
    (found,) = wheels.glob(f"kg_{folder.replace('-', '_')}-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(fresh: Callable[..., Path], wheels: Path) -> Path:
    """The ``bin`` folder of a fresh environment with all wheels that users install."""
    return fresh(*(str(wheel_of(folder, wheels)) for folder in USERS))


@pytest.fixture
def kg(installed: Path, tmp_path: Path, run: Callable[..., str]):
    """Runs the installed command on a memory of its own."""
    environ = {"HOME": str(tmp_path), "KG_HOME": str(tmp_path / "memory"), "PATH": os.defpath, "LANG": "C.UTF-8"}

    def command(*arguments: str, code: int = 0) -> str:
        return run([str(installed / "kg"), *arguments], environ, code)

    return command


@pytest.mark.parametrize("folder", TOMLS)
def test_a_wheel_carries_licence_types_and_nothing_of_the_workspace(folder: str, wheels: Path) -> None:
    with zipfile.ZipFile(wheel_of(folder, wheels)) as archive:
        names = archive.namelist()
        (metadata_name,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(metadata_name).decode("utf-8"))
        licence = archive.read(metadata_name.replace("METADATA", "licenses/LICENSE"))

    assert metadata["License-Expression"] == "MIT"
    assert licence == (ROOT / "LICENSE").read_bytes()
    assert f"kg_{folder.replace('-', '_')}/py.typed" in names
    assert not [name for name in names if "tests/" in name or name.startswith("src/")]
    assert not [line for line in metadata.get_all("Requires-Dist", []) if "file:" in line or str(ROOT) in line]


def test_pip_finds_nothing_missing_and_no_test_tool(
    installed: Path, tool_environ: dict[str, str], run: Callable[..., str]
) -> None:
    run([str(installed / "pip"), "check"], tool_environ)
    listed = json.loads(run([str(installed / "pip"), "list", "--format", "json"], tool_environ))

    names = {row["name"] for row in listed}
    assert {f"kg-{folder}" for folder in USERS} <= names
    assert not names & {"pytest", "hypothesis", "kg-plugin-testing"}


def test_the_command_tells_its_version(kg) -> None:
    assert TOMLS["server"]["project"]["version"] in kg("version")


def test_the_installed_plug_ins_are_found_without_a_problem(kg) -> None:
    shown = json.loads(kg("plugins", "--json"))

    assert {harness["name"] for harness in shown["harnesses"]} == {
        folder.removeprefix("harness-") for folder in USERS if folder.startswith("harness-")
    }
    assert shown["problems"] == []


def test_a_server_starts_answers_and_stops(kg) -> None:
    kg("start")
    try:
        running = json.loads(kg("status", "--json"))
    finally:
        kg("stop")
    stopped = json.loads(kg("status", "--json", code=NOT_RUNNING))

    assert running["running"] is True
    assert stopped["running"] is False


@pytest.fixture(params=["pip", "uv tool"])
def brought(
    request: pytest.FixtureRequest,
    fresh: Callable[..., Path],
    uv: str,
    wheels: Path,
    pins: Path,
    tmp_path: Path,
    run: Callable[..., str],
    tool_environ: dict[str, str],
) -> tuple[Path, list[str], dict[str, str]]:
    """An installation from wheels as its user types it: its ``kg``, the command that removes it, and for which."""
    if request.param == "pip":
        binaries = fresh("kg-harness-codex")
        ours = ["kg-harness-codex", "kg-server", "kg-core", "kg-plugin-api"]
        return binaries / "kg", [str(binaries / "pip"), "uninstall", "--quiet", "--yes", *ours], tool_environ
    tools = {
        **tool_environ,
        "UV_TOOL_DIR": str(tmp_path / "share" / "uv" / "tools"),
        "UV_TOOL_BIN_DIR": str(tmp_path / "bin"),
    }
    options = ["--quiet", "--python", sys.executable, "--find-links", str(wheels), "--constraints", str(pins)]
    run([uv, "tool", "install", *options, "kg-server[codex]"], tools)
    return tmp_path / "bin" / "kg", [uv, "tool", "uninstall", "--quiet", "kg-server"], tools


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """The environment of a person whose home is empty."""
    home = tmp_path / "person"
    home.mkdir()
    return {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8"}


def commands(folder: Path) -> list[list[str]]:
    """Every command of ours that a client would start, from the files that set-up wrote below a folder."""
    found: list[list[str]] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict) and isinstance(value.get("command"), str):
            found.append([value["command"], *value["args"]] if "args" in value else ["/bin/sh", "-c", value["command"]])
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(inner)

    for file in folder.rglob("*.json"):
        if "state" not in file.relative_to(folder).parts:
            walk(json.loads(file.read_text(encoding="utf-8")))
    return found


def test_in_an_empty_home_one_command_connects_codex_and_removal_leaves_silence(
    brought: tuple[Path, list[str], dict[str, str]], machine: dict[str, str], run: Callable[..., str]
) -> None:
    kg, remove, remover = brought
    home = Path(machine["HOME"])
    try:
        said = run([str(kg), "setup", "--harness", "codex", "--yes"], machine)
        health = json.loads(run([str(kg), "status", "--json"], machine))
        run([str(kg), "setup", "--harness", "codex", "--yes"], machine)
    finally:
        run([str(kg), "stop"], machine)

    assert "Codex CLI: memory answers" in said
    assert health["running"] is True
    settings = tomllib.loads((home / ".codex" / "config.toml").read_text(encoding="utf-8"))
    assert settings["plugins"]["kg@kg"]["enabled"] is True
    started = commands(home)
    assert started

    run(remove, remover)

    assert not kg.exists()
    for command in started:
        asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
        done = subprocess.run(command, input=asked, capture_output=True, env=machine, timeout=30, check=False)
        assert (done.returncode, done.stderr) == (0, b""), command
        assert done.stdout in {b"", NO_TOOLS}, command
