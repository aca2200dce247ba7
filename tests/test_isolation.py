"""Each package tested with nothing but what it declares, so that an import it only borrows from a neighbour fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
FOLDERS = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
LARGE = ["core", "search-pg", "server"]
"""Packages whose tests take minutes: by day their imports are tried alone, by night their tests too."""
HARNESSES = [folder for folder in FOLDERS if folder.startswith("harness-")]
QUICK = ["-q", "-p", "no:cacheprovider", "-m", "not slow and not acceptance and not nightly"]


def run(command: list[str], environ: dict[str, str]) -> None:
    environ = {name: value for name, value in environ.items() if name not in {"VIRTUAL_ENV", "PYTHONPATH"}}
    done = subprocess.run(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}"


def alone(folder: str, uv: str, environ: dict[str, str], *arguments: str) -> None:
    """Runs pytest over a package in an environment of what it declares."""
    environment = ["--isolated", "--no-default-groups", "--package", f"kg-{folder}", "--group", "test"]
    pytest_in_it = [uv, "run", "--quiet", "--python", sys.executable, *environment, "pytest", *QUICK]
    run([*pytest_in_it, *arguments, f"packages/{folder}"], environ)


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if folder not in LARGE])
def test_a_package_passes_with_only_what_it_declares(folder: str, uv: str, tool_environ: dict[str, str]) -> None:
    alone(folder, uv, tool_environ)


@pytest.mark.parametrize("folder", LARGE)
def test_a_large_package_and_its_tests_import_only_what_it_declares(
    folder: str, uv: str, tool_environ: dict[str, str]
) -> None:
    alone(folder, uv, tool_environ, "--collect-only")


@pytest.mark.nightly
@pytest.mark.parametrize("folder", LARGE)
def test_a_large_package_passes_with_only_what_it_declares(folder: str, uv: str, tool_environ: dict[str, str]) -> None:
    alone(folder, uv, tool_environ)


@pytest.mark.parametrize("folder", HARNESSES)
def test_a_harness_passes_without_core_and_server(
    folder: str, uv: str, tool_environ: dict[str, str], tmp_path: Path
) -> None:
    python = tmp_path / "environment" / "bin" / "python"
    ours = [f"packages/{name}" for name in (folder, "plugin-api", "plugin-testing")]

    run([uv, "venv", "--quiet", "--python", sys.executable, str(tmp_path / "environment")], tool_environ)
    run([uv, "pip", "install", "--quiet", "--python", str(python), "pluggy", "pytest", "hypothesis"], tool_environ)
    run([uv, "pip", "install", "--quiet", "--python", str(python), "--no-deps", *ours], tool_environ)
    run([str(python), "-m", "pytest", *QUICK, f"packages/{folder}"], tool_environ)
