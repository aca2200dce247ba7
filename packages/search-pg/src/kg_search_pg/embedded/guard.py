"""Runs a Postgres and ends it with whoever started this: ``python -I -S guard.py POSTGRES …``, standard library only.

The starter holds our standard input. Once that ends, be it that the starter closed it or was killed, the Postgres is
ended: gently, then hard. The exit code is that of the Postgres.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GENTLE_SECONDS = 2.5
"""How long a Postgres may take to write everything down. It loses nothing that matters if it may not."""
HARD_SECONDS = 0.5
_LOOK_SECONDS = 0.02


def end(pid: int, is_alive: Callable[[], bool]) -> None:
    """Ends a postmaster and what it has started. One that is frozen is killed after three seconds."""
    for number, seconds in ((signal.SIGINT, GENTLE_SECONDS), (signal.SIGQUIT, HARD_SECONDS)):
        _signal(pid, number)
        deadline = time.monotonic() + seconds
        while is_alive() and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
        if not is_alive():
            return
    # Without their postmaster, servers of single connections end by themselves, but not frozen ones.
    servers = children(pid)
    _signal(pid, signal.SIGKILL)
    for server in servers:
        _signal(server, signal.SIGKILL)
    deadline = time.monotonic() + HARD_SECONDS
    while is_alive() and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)


def children(pid: int) -> list[int]:
    """The processes that a process has started, as far as this system tells."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        with contextlib.suppress(OSError):
            listed = subprocess.run(["ps", "-A", "-o", "ppid=,pid="], capture_output=True, text=True, check=False)
            pairs = (line.split() for line in listed.stdout.splitlines())
            return [int(child) for parent, child in pairs if int(parent) == pid]
    return []


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def main(command: list[str]) -> int:
    """Runs a command until it ends or our standard input does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it is the starter that decides
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, restore_signals=True, preexec_fn=_as_usual)
    threading.Thread(target=_end_with_input, args=(process,), daemon=True).start()
    return process.wait()


def _as_usual() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _end_with_input(process: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1024):
        pass
    end(process.pid, lambda: process.poll() is None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
