"""One server process: started in a scratch home, waited for, looked at, stopped."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

START_LIMIT = 120.0
STOP_LIMIT = 60.0
WAIT_LIMIT = 300.0
"""Seconds; 100,000 lessons are indexed within some tens of them."""


def free_port() -> int:
    """A port of the loopback interface that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def scratch_environ(home: Path, **more: str) -> dict[str, str]:
    """An environment that knows a scratch home and nothing of the person's kg or clients."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LANG": "C.UTF-8", **more}


@dataclass(frozen=True, slots=True)
class Process:
    """A server that answered; ``start_seconds`` is the time from its start to its first healthy answer."""

    handle: subprocess.Popen[bytes]
    start_seconds: float

    @classmethod
    def start(
        cls, command: Sequence[str], environ: Mapping[str, str], log: Path, healthy: Callable[[], bool]
    ) -> Process:
        """Starts ``command`` and asks ``healthy`` until it says so."""
        with log.open("ab") as output:
            began = time.perf_counter()
            handle = subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        while not healthy():
            if handle.poll() is not None or time.perf_counter() - began > START_LIMIT:
                handle.kill()
                raise RuntimeError(f"the server did not start: see {log}")
            time.sleep(0.005)
        return cls(handle, time.perf_counter() - began)

    def resident_mib(self) -> float:
        """Resident memory in MiB."""
        status = Path(f"/proc/{self.handle.pid}/status")
        if status.exists():
            lines = status.read_text(encoding="ascii", errors="replace").splitlines()
            return int(next(line.split()[1] for line in lines if line.startswith("VmRSS:"))) / 1024
        shown = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(self.handle.pid)], capture_output=True, check=True, encoding="ascii"
        ).stdout
        return int(shown) / 1024

    def stop(self) -> None:
        """Asks it to stop, and ends it when it does not."""
        self.handle.terminate()
        try:
            self.handle.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            self.handle.kill()
            self.handle.wait()


def until(happened: Callable[[], bool]) -> None:
    """Returns once it has. Raises RuntimeError when it does not within the limit."""
    deadline = time.monotonic() + WAIT_LIMIT
    while not happened():
        if time.monotonic() > deadline:
            raise RuntimeError("what was waited for did not happen")
        time.sleep(0.05)
