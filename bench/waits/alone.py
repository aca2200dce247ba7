"""The hook client as a process, without a client that waits for it: how much of its cost is the interpreter's own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.host import Plugins
from kg_core.store import Home
from kg_server.setup.launch import launch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from waits.clients import Stage

_HARNESS: Final = "claude"
_EVENT: Final = "PostToolUse"


@dataclass(frozen=True, slots=True)
class Alone:
    """Milliseconds of a process, from its start to its end, and those that it kept a processor; medians."""

    wall: float
    processor: float


def measured(stage: Stage, runs: int) -> dict[str, Alone]:
    """The hook client on an event with nothing to say, and the interpreter with nothing to do, in turns."""
    harness = Plugins.load().harness(_HARNESS)
    assert harness is not None
    machine, _ = stage.machine(_HARNESS)
    machine.kg("start")
    event = {"session_id": "bench", "cwd": str(machine.repository()), "hook_event_name": _EVENT, "tool_name": "Read"}
    commands = {
        "the hook client": launch(Home(machine.memory), harness).hook[_EVENT],
        "its interpreter alone": f"exec {sys.executable} -I -S -c pass",
    }
    taken: dict[str, list[tuple[float, float]]] = {title: [] for title in commands}
    payload = json.dumps(event).encode()
    for _ in range(runs + 1):
        for title, command in commands.items():
            shell = ("/bin/sh", "-c", command)
            taken[title].append(stage.network.inside(lambda shell=shell: _run(shell, payload, machine.environ())))
    return {
        title: Alone(*(statistics.median(column) * 1_000 for column in zip(*rows[1:], strict=True)))
        for title, rows in taken.items()
    }


def _run(command: Sequence[str], payload: bytes, environ: dict[str, str]) -> tuple[float, float]:
    """Seconds from the start of a process to its end, and those of a processor."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environ)
    assert process.stdin is not None
    with process.stdin as stdin:
        stdin.write(payload)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return time.perf_counter() - began, used.ru_utime + used.ru_stime
