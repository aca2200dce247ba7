"""This product as a person has it: from its wheels, with the plug-ins of two clients, in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLUGINS = ("kg-harness-claude", "kg-harness-codex")


def installed(environment: Path) -> Path:
    """The folder of the environment's commands, with this tree as it is now: what was there before is made anew.

    The workspace's own environment holds some hundred packages that no person has, and a start looks through all.
    """
    python = environment / "bin" / "python"
    _run("uv", "venv", "--quiet", "--clear", "--python", sys.executable, str(environment))
    with tempfile.TemporaryDirectory(prefix="kg-wheels-") as wheels:
        _run("uv", "build", "--quiet", "--all-packages", "--wheel", "--out-dir", wheels, str(ROOT))
        chosen = ("--find-links", wheels, "--compile-bytecode", *PLUGINS)
        _run("uv", "pip", "install", "--quiet", "--python", str(python), *chosen)
    return python.parent


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
