"""A person's machine with the settings of the real harnesses, and the ``kg`` command on it, in this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_core.host import Plugins
from kg_core.store import Home
from kg_harness_antigravity import ANTIGRAVITY
from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_harness_copilot import COPILOT
from kg_server.cli.group import run_command

if TYPE_CHECKING:
    from collections.abc import Callable

SETTINGS = {"claude": ".claude/settings.json", "codex": ".codex/config.toml", "copilot": ".copilot/mcp-config.json"}
"""Of the agents that this person has."""
ABSENT = {"antigravity": ".gemini/antigravity-cli/settings.json"}
"""Of an agent that is connected only where a test asks for it."""


@dataclass(frozen=True)
class Person:
    """A home folder with the agents' configuration folders and no program of theirs."""

    folder: Path
    home: Home
    run: Callable[..., tuple[int, str, str]]

    def settings(self, harness: str) -> Path:
        return self.folder / {**SETTINGS, **ABSENT}[harness]

    def files(self) -> dict[str, bytes]:
        """All files but kg's own state."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in found
            if not path.is_relative_to(self.home.state)
        }


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Person:
    folder = tmp_path / "person"
    for place in SETTINGS.values():
        (folder / place).parent.mkdir(parents=True)
    found = Plugins.of(harnesses=[CLAUDE, CODEX, COPILOT, ANTIGRAVITY])
    monkeypatch.setattr(Plugins, "load", classmethod(lambda cls, **_: found))
    monkeypatch.setattr(Path, "home", classmethod(lambda cls: folder))
    monkeypatch.setattr("kg_server.cli.setup._prove", lambda *_: None)
    monkeypatch.setattr("kg_server.lifecycle.control.Control.stop", lambda _: False)
    monkeypatch.setattr("os.fsync", lambda _: None)  # what a loss of power would do is not the subject here
    monkeypatch.setenv("KG_HOME", str(folder / ".kg"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("kg_server.setup.machine.Machine.binary", lambda *_: None)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = run_command(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return Person(folder, Home(folder / ".kg"), run)
