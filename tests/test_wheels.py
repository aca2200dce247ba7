"""What users install: wheels, brought into a fresh environment by plain pip, and the server that runs from there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
TOMLS = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.glob("packages/*/pyproject.toml"))
}
NOT_RUNNING = 3
USERS = [folder for folder in TOMLS if folder != "plugin-testing"]


def run(command: list[str], environ: dict[str, str], code: int = 0) -> str:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == code, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def wheel_of(folder: str, wheels: Path) -> Path:
    (found,) = wheels.glob(f"kg_{folder.replace('-', '_')}-*.whl")
    return found


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory, tool_environ: dict[str, str]) -> Path:
    """Every package as an sdist and as a wheel made from it."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if not uv:
        pytest.skip("uv is not there: `pip install uv`")
    folder = tmp_path_factory.mktemp("dist")
    run([uv, "build", "--quiet", "--all-packages", "--no-sources", "--out-dir", str(folder)], tool_environ)
    return folder


@pytest.fixture(scope="module")
def installed(wheels: Path, tmp_path_factory: pytest.TempPathFactory, tool_environ: dict[str, str]) -> Path:
    """The ``bin`` folder of a fresh environment with all wheels that users install."""
    environment = tmp_path_factory.mktemp("installed")
    pins = environment / "pins.txt"
    root = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pins.write_text("\n".join(root["tool"]["uv"]["constraint-dependencies"]), encoding="utf-8")
    run([sys.executable, "-m", "venv", str(environment / "venv")], tool_environ)
    binaries = environment / "venv" / "bin"
    chosen = [str(wheel_of(folder, wheels)) for folder in USERS]
    run([str(binaries / "pip"), "install", "--quiet", "--constraint", str(pins), *chosen], tool_environ)
    return binaries


@pytest.fixture
def kg(installed: Path, tmp_path: Path):
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


def test_pip_finds_nothing_missing_and_no_test_tool(installed: Path, tool_environ: dict[str, str]) -> None:
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
