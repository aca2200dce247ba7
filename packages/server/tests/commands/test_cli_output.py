"""What a command says whose standard output cannot be written, or that nobody reads to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kg_core.store import Home

FULL = Path("/dev/full")
TO_FULL = pytest.param(f'exec "$@" >{FULL}', id="full", marks=pytest.mark.skipif(not FULL.exists(), reason="no device"))
TO_NOTHING = pytest.param('exec "$@" >&-', id="closed")


def run(home: Home, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a shell says that runs a command, which the script calls ``"$@"``."""
    command = ["/bin/sh", "-c", script, "sh", sys.executable, "-P", "-m", "kg_server", *arguments]
    environ = {**os.environ, "KG_HOME": str(home.root)}
    return subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=60, check=False
    )


@pytest.mark.parametrize("script", [TO_FULL, TO_NOTHING])
@pytest.mark.parametrize("arguments", [(), ("--help",), ("version",), ("plugins", "--json"), ("doctor",)])
def test_a_command_whose_output_cannot_be_written_says_so_and_fails(
    home: Home, script: str, arguments: tuple[str, ...]
) -> None:
    done = run(home, script, *arguments)

    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("Error: Standard output ")
    assert "report" not in sentence
    assert not (home.state / "command-error.log").exists()


def test_a_shim_without_output_serves_nobody_and_says_so(home: Home) -> None:
    done = run(home, 'exec "$@" >&-', "mcp", "--harness", "claude")

    assert done.returncode == 1
    assert done.stderr == "Error: Standard output is closed; there is nobody to serve.\n"


@pytest.mark.parametrize("arguments", [("--help",), ("plugins", "--json")])
def test_a_reader_who_has_read_enough_is_told_nothing(home: Home, arguments: tuple[str, ...]) -> None:
    assert run(home, '"$@" | true', *arguments).stderr == ""
    assert run(home, '"$@" | head -1', *arguments).stderr == ""
