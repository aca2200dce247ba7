"""The README's commands, as written, in a copy of the work tree and an empty home."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
WHERE = ".venv/bin/python -c 'import kg_server; print(kg_server.__file__)'"
"""What says where the kg that was set up lies."""
BLOCK = re.compile(r"^## (.+?)$.*?^```sh\n(.+?)\n```$", re.MULTILINE | re.DOTALL)


def commands() -> dict[str, str]:
    """The first command under each heading."""
    return dict(BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory, tool_environ: dict[str, str]) -> Path:
    """What a clone would hold, were the work tree committed."""
    folder = tmp_path_factory.mktemp("clone") / "kg"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        env=tool_environ,
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, env=tool_environ, check=True)
    return folder


@pytest.fixture(scope="module")
def shell(clone: Path, tmp_path_factory: pytest.TempPathFactory, tool_environ: dict[str, str]):
    """Runs a line of shell in the clone; only package caches and pip's settings come from outside."""
    home = tmp_path_factory.mktemp("home")
    real = Path(tool_environ["HOME"])
    caches = {
        "PIP_CACHE_DIR": str(real / ".cache" / "pip"),
        "UV_CACHE_DIR": str(real / ".cache" / "uv"),
        "PIP_CONFIG_FILE": str(real / ".config" / "pip" / "pip.conf"),
    }
    kept = {name: value for name, value in tool_environ.items() if name not in {"VIRTUAL_ENV", "UV", "PYTHONPATH"}}
    environ = {**caches, **kept, "HOME": str(home)}

    def run(line: str) -> str:
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=clone,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout[-6000:]}"
        return done.stdout

    yield run
    kg = clone / ".venv" / "bin" / "kg"
    if kg.exists():
        subprocess.run([kg, "stop"], env=environ, stdin=subprocess.DEVNULL, timeout=60, check=False)


def test_the_install_command_brings_a_running_verified_memory(shell) -> None:
    told = shell(commands()["Install"])

    assert "memory answers" in told
    shell(".venv/bin/kg status")


def test_the_tour_works_as_written(shell) -> None:
    for line in commands()["A short tour"].splitlines():
        shell(line)


def test_the_test_command_brings_what_it_needs_and_finds_the_tests(shell) -> None:
    installed = shell(WHERE)

    found = shell(commands()["Test"] + " --collect-only -q -m ''")

    assert "test_readme.py" in found
    assert shell(WHERE) == installed, "the agents were connected to a kg that is not there any more"
