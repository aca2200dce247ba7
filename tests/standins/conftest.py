"""A person's machine with kg on it, connected to the stand-in of Antigravity CLI."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .antigravity.client import Client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

KG = Path(sys.executable).with_name("kg")


class Machine:
    """One home folder. Its server listens on any free port."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.memory = self.home / ".kg"
        self.memory.mkdir(parents=True, mode=0o700)
        (self.memory / "config.toml").write_text("[server]\nport = 0\n", encoding="utf-8")
        self.environ = {"HOME": str(self.home), "PATH": os.defpath, "LANG": "C.UTF-8"}
        self.client = Client(self.home, self.environ)

    def remembers(self, nodes: Mapping[str, Mapping[str, object]]) -> None:
        """Writes the user's lessons before any server has run."""
        file = self.memory / "memory" / "user.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"format": 1, "nodes": nodes, "edges": []}), encoding="utf-8")

    def workspace(self, name: str) -> Path:
        """A git repository, made when it is not there."""
        folder = self.root / name
        if not folder.exists():
            folder.mkdir()
            subprocess.run(["git", "init", "--quiet", str(folder)], check=True, env=self.environ)
        return folder

    def kg(self, *arguments: str) -> str:
        """What the command prints."""
        done = subprocess.run(
            [str(KG), *arguments],
            env=self.environ,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def server(self) -> int:
        """The process id of the server."""
        return int(json.loads((self.memory / "state" / "server.json").read_text(encoding="utf-8"))["pid"])


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Machine]]:
    """Makes machines whose agent is connected; their servers end with the tests of the file."""
    made: list[Machine] = []

    def make(nodes: Mapping[str, Mapping[str, object]] | None = None) -> Machine:
        machine = Machine(tmp_path_factory.mktemp("machine"))
        made.append(machine)
        if nodes:
            machine.remembers(nodes)
        machine.kg("setup", "--yes", "--harness", "antigravity")
        return machine

    yield make
    for machine in made:
        machine.kg("stop")
