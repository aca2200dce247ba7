"""A machine of one test: its own home, its own memory, its own network, and an environment built from nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .conversation import PATIENCE, Conversation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .network import Loopback


class Machine:
    """Programs run as a user of it would run them. Nothing of the real user's environment is seen."""

    def __init__(self, root: Path, network: Loopback, programs: Sequence[Path]) -> None:
        self.home = root / "home"
        self.memory = self.home / ".kg"
        self._root = root
        self._network = network
        for folder in (self.home, root / "bin", root / "tmp", root / "run"):
            folder.mkdir(mode=0o700)
        for program in programs:
            self.bring(program)
        self._path = f"{root / 'bin'}:{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"

    def bring(self, program: Path) -> None:
        """Puts a program on the path."""
        (self._root / "bin" / program.name).symlink_to(program)

    def environ(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of a program."""
        scratch = str(self._root / "tmp")
        return {
            "PATH": self._path,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "SHELL": "/bin/sh",
            "TMPDIR": scratch,
            "CLAUDE_CODE_TMPDIR": scratch,
            "XDG_RUNTIME_DIR": str(self._root / "run"),
            **(extra or {}),
        }

    def repository(self, name: str = "project") -> Path:
        """A git repository with one file and a sub-folder."""
        folder = self._root / name
        (folder / "service" / "api").mkdir(parents=True)
        (folder / "readme.txt").write_text("alpha\n", encoding="utf-8")
        self.run("git", "init", "--quiet", str(folder))
        return folder

    def run(
        self,
        *command: str,
        cwd: Path | None = None,
        extra: Mapping[str, str] | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end."""
        done = subprocess.run(
            [*self._network.prefix, *command],
            cwd=cwd or self.home,
            env=self.environ(extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
        assert not check or done.returncode == 0, (
            f"{command[:3]} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
        return done

    def open(self, *command: str, cwd: Path, extra: Mapping[str, str] | None = None) -> Conversation:
        """Starts a program that is talked to line by line."""
        return Conversation([*self._network.prefix, *command], cwd, self.environ(extra))

    def kg(self, *arguments: str, cwd: Path | None = None, check: bool = True) -> str:
        """What the ``kg`` command prints."""
        return self.run("kg", *arguments, cwd=cwd, check=check).stdout

    def setup(self, *harnesses: str) -> None:
        """Connects the clients that are on this machine."""
        named = [argument for harness in harnesses for argument in ("--harness", harness)]
        self.kg("setup", "--yes", "--trust-hooks", *named)

    def nodes(self, level: str = "project") -> dict[str, Any]:
        """The nodes on disk, by id, once the last snapshot holds what was written; journal entries not counted."""
        pattern = "user.json" if level == "user" else "projects/*/graph.json"
        files = sorted((self.memory / "memory").glob(pattern))
        return {
            key: node for file in files for key, node in json.loads(file.read_text(encoding="utf-8"))["nodes"].items()
        }

    def server(self) -> int | None:
        """The process id of this machine's server, when one runs."""
        try:
            number = int(json.loads((self.memory / "state" / "server.json").read_text(encoding="utf-8"))["pid"])
            command = Path(f"/proc/{number}/cmdline").read_bytes()
        except (OSError, ValueError, KeyError):
            return None
        return number if b"kg" in command else None

    def pause(self) -> int:
        """Makes the server hang: it takes connections and never answers. The process id, for :meth:`resume`."""
        number = self.server()
        assert number is not None, "no server runs"
        os.kill(number, signal.SIGSTOP)
        return number

    def resume(self, number: int) -> None:
        """Lets a hanging server go on."""
        os.kill(number, signal.SIGCONT)

    def stop(self) -> None:
        """Stops the server, and waits until it has ended."""
        number = self.server()
        self.kg("stop", check=False)
        if number is not None and not until(lambda: not Path(f"/proc/{number}").exists(), 10):
            os.kill(number, signal.SIGKILL)


def until(holds: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Whether ``holds`` came true in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
