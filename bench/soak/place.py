"""Where a run happens: a scratch folder with a memory, projects, an interpreter for the server, and a small disk."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from pathlib import Path
from typing import Final, Self

from kg_core.store import Home
from soak.injected import FAKE_DISK, Switches
from speed.process import free_port

PROJECTS: Final = 4
DISK_MEBIBYTES: Final = 160
_CHUNKS: Final = (1 << 20, 1 << 12)


class Place:
    """The folders of one run. ``is_real_disk`` tells whether the memory lies on a file system that can be filled.

    It does unless none can be mounted, or the disk only ``pretends`` to be full on purpose.
    """

    def __init__(self, *, pretends: bool = False) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="kg-soak-")).resolve()
        self._disk = self.root / "disk"
        self._disk.mkdir(mode=0o700)
        self.is_real_disk = not pretends and _mounted(self._disk)
        self.home = Home(self._disk / "kg")
        self.home.root.mkdir(mode=0o700)
        self.home.config.write_text(f"[server]\nport = {free_port()}\n", encoding="utf-8")
        self.projects = tuple(self.root / f"soak-{number}" for number in range(PROJECTS))
        for project in self.projects:
            subprocess.run(["git", "init", "--quiet", str(project)], check=True)
        if not self.is_real_disk:
            (self.root / FAKE_DISK).touch()
        self.switches = Switches(self.root)
        self.python = self._interpreter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_real_disk:
            subprocess.run(["umount", "--lazy", str(self._disk)], check=False)
        shutil.rmtree(self.root, ignore_errors=True)

    def fill(self) -> None:
        """Lets nothing more onto the disk. To be repeated: what others remove makes room."""
        if not self.is_real_disk:
            self.switches.set(full=True)
            return
        with (self._disk / "ballast").open("ab", buffering=0) as ballast:
            for size in _CHUNKS:
                with contextlib.suppress(OSError):
                    while ballast.write(bytes(size)):
                        pass

    def free(self) -> None:
        """Makes room again."""
        self.switches.set(full=False)
        (self._disk / "ballast").unlink(missing_ok=True)

    def processes(self) -> dict[int, str]:
        """The commands of the processes of this run but the caller, by id."""
        asked = ["ps", "-axww", "-o", "pid=,stat=,command="]
        listed = subprocess.run(asked, capture_output=True, check=True, text=True)
        found = {}
        for line in listed.stdout.splitlines():
            pid, state, command = line.split(None, 2)
            if str(self.root) in command and not state.startswith("Z") and int(pid) != os.getpid():
                found[int(pid)] = command
        return found

    def servers(self) -> list[int]:
        """The ids of the server's processes: one, or for a moment two or none."""
        return [pid for pid, command in self.processes().items() if " kg_server serve " in command]

    def left_over(self, within: float) -> dict[int, str]:
        """The processes that have not ended ``within`` so many seconds."""
        deadline = time.monotonic() + within
        while (found := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return found

    def _interpreter(self) -> str:
        """An interpreter that finds what this one finds, and whose server can be given another clock."""
        folder = self.root / "python"
        venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
        found = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
        installed, bench = sysconfig.get_path("purelib"), str(Path(__file__).parents[1])
        lines = [
            f"import site; site.addsitedir({installed!r})",
            f"import sys; sys.path.append({bench!r}); from soak.injected import inject; inject({str(self.root)!r})",
        ]
        (Path(found) / "soak.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(folder / "bin" / "python")


def _mounted(folder: Path) -> bool:
    """Whether a small file system could be put there; only root may, and not in every container."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEBIBYTES}m,mode=700", "kg-soak", str(folder)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError as failure:
        if failure.errno != errno.ENOENT:
            raise
        return False
