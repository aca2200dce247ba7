"""What an earlier run left behind: a Postgres that lost its guard, or the marks of one that was killed."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kg_search_pg.embedded.guard import end

if TYPE_CHECKING:
    from kg_search_pg.embedded.places import Places


def clear(places: Places) -> None:
    """Ends a Postgres that still serves our data folder, and nothing else; removes marks that nobody stands behind.

    Postgres itself takes any process of the same number for its own, and would not start.
    """
    for mark in (places.pid_file, places.socket_lock):
        pid = _marked(mark)
        if pid is None:
            continue
        if _serves(pid, places.data):
            end(pid, partial(_serves, pid, places.data))
        mark.unlink(missing_ok=True)


def _marked(file: Path) -> int | None:
    """The process that a mark names; ``None`` without one."""
    try:
        first = file.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
    except OSError:
        return None
    return int(first) if first.strip().isdecimal() else 0


def _serves(pid: int, data: Path) -> bool:
    """Whether a process is a living Postgres of this data folder, by whatever path it was started."""
    program, _, given = _command(pid).partition(" -D ")
    if Path(program).name != "postgres":
        return False
    try:
        return Path(f"/proc/{pid}/cwd").samefile(data)  # it works there, also when the folder was moved meanwhile
    except OSError:
        return given.startswith(f"{data} ")


def _command(pid: int) -> str:
    """The command line of a process, empty when it is gone."""
    if pid <= 0:
        return ""
    try:
        return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes()).replace("\0", " ")
    except OSError:  # it is gone, was gone before it was read, or is somebody else's that is not to be looked at
        if Path("/proc/self").exists():
            return ""
    try:
        listed = subprocess.run(["ps", "-ww", "-p", str(pid), "-o", "command="], capture_output=True, check=False)
    except OSError:
        return ""
    return os.fsdecode(listed.stdout)
