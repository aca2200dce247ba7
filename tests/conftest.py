"""What the tests of installed packages share: the wheels as users get them, and fresh environments to put them in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def run() -> Callable[..., str]:
    """Runs a command to its end and gives what it prints; its exit code must be the one given."""

    def command(command: list[str], environ: dict[str, str], code: int = 0) -> str:
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

    return command


@pytest.fixture(scope="session")
def uv() -> str:
    """The program ``uv``. Without it the test is skipped, or fails where all that tests drive is required."""
    found = os.environ.get("UV") or shutil.which("uv")
    if not found and os.environ.get("KG_REQUIRE_CLIENTS") == "1":
        pytest.fail("uv is not there, and KG_REQUIRE_CLIENTS=1 lets no test do without it")
    if not found:
        pytest.skip("uv is not there: `pip install uv`")
    return found


@pytest.fixture(scope="session")
def wheels(
    uv: str, run: Callable[..., str], tmp_path_factory: pytest.TempPathFactory, tool_environ: dict[str, str]
) -> Path:
    """Every package as an sdist and as a wheel made from it."""
    folder = tmp_path_factory.mktemp("dist")
    run([uv, "build", "--quiet", "--all-packages", "--no-sources", "--out-dir", str(folder)], tool_environ)
    return folder


@pytest.fixture(scope="session")
def pins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one tested version of everything third-party."""
    path = tmp_path_factory.mktemp("pins") / "pins.txt"
    root = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    path.write_text("\n".join(root["tool"]["uv"]["constraint-dependencies"]), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def fresh(
    run: Callable[..., str],
    wheels: Path,
    pins: Path,
    tmp_path_factory: pytest.TempPathFactory,
    tool_environ: dict[str, str],
) -> Callable[..., Path]:
    """Makes environments into which plain pip has installed what is named; gives their ``bin`` folder."""

    def make(*wanted: str) -> Path:
        environment = tmp_path_factory.mktemp("installed") / "venv"
        run([sys.executable, "-m", "venv", str(environment)], tool_environ)
        pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--constraint", str(pins)]
        run([*pip, "--find-links", str(wheels), *wanted], tool_environ)
        return environment / "bin"

    return make
