"""Two clients at once, each behind a shim of its own, on a memory that no server serves yet."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.store import Home
from kg_server import carrier
from kg_server.lifecycle.control import Control

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

NODES = 50
RUN = Path(carrier.__file__ or "").with_name("run.py")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "kg home")
    home.root.mkdir(mode=0o700)
    home.config.write_text("[server]\nport = 0\n", encoding="utf-8")
    yield home
    Control(home).stop()


class Writer:
    """A shim, and what was acknowledged to the client behind it."""

    def __init__(self, home: Home, name: str) -> None:
        self.name = name
        self.told: list[str] = []
        command = [sys.executable, "-I", "-S", str(RUN), "mcp", "--harness", "mcp", "--home", str(home.root)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def write(self, together: threading.Barrier, dies_after: int = NODES) -> None:
        """Writes one node after the other; may be killed while one is on its way."""
        together.wait(30)
        for number in range(NODES):
            self._send(number)
            if number == dies_after:
                self.process.kill()
            self._hear()

    def _send(self, number: int) -> None:
        assert self.process.stdin is not None
        node = {"level": "user", "id": f"{self.name}-{number}", "gist": f"Lesson {number} of writer {self.name}."}
        call = {"name": "kg_put_node", "arguments": node}
        message = {"jsonrpc": "2.0", "id": node["id"], "method": "tools/call", "params": call}
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return

    def _hear(self) -> None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if line.endswith(b"\n"):
            answer: dict[str, Any] = json.loads(line)
            assert answer["result"].get("isError") is not True, answer
            self.told.append(answer["id"])

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def written_by(home: Home, *deaths: int) -> tuple[list[Writer], dict[str, Any]]:
    """Lets one writer a death work together, and gives them with what is in the file once everybody has ended."""
    together = threading.Barrier(len(deaths))
    writers = [Writer(home, f"writer{number}") for number in range(len(deaths))]
    threads = [
        threading.Thread(target=writer.write, args=(together, death))
        for writer, death in zip(writers, deaths, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for writer in writers:
        writer.end()
    Control(home).stop()
    return writers, json.loads(home.graph("user").read_text(encoding="utf-8"))["nodes"]


def test_two_shims_that_write_at_once_lose_nothing(home: Home) -> None:
    writers, kept = written_by(home, NODES, NODES)

    assert [len(writer.told) for writer in writers] == [NODES, NODES]
    assert kept.keys() == {node for writer in writers for node in writer.told}


@pytest.mark.parametrize("after", [1, 17, 40])
def test_a_writer_that_is_killed_costs_nothing_that_anybody_was_told(home: Home, after: int) -> None:
    (killed, other), kept = written_by(home, after, NODES)

    assert after <= len(killed.told) <= after + 1
    assert len(other.told) == NODES
    assert {*killed.told, *other.told} <= kept.keys()
    assert kept.keys() - {*killed.told, *other.told} <= {f"{killed.name}-{after}"}
