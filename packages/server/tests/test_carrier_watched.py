"""A call that takes long is waited for at a server that is there, and given up at one that hangs."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from kg_server.carrier import wire
from kg_server.carrier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LOOK = 0.05


class Slow(threading.Thread):
    """A server that says at once that it is there, and takes its time for all else until it ``hangs`` altogether."""

    def __init__(self, file: Path, seconds: float) -> None:
        super().__init__(daemon=True)
        self.looks = -1  # the first one is the introduction
        self.asked = 0
        self.hangs = threading.Event()
        self.is_deaf = False
        """Whether it says no more that it is there, and does all else."""
        self._seconds = seconds
        self._listening = socket.create_server(("127.0.0.1", 0))
        found = {"port": self._listening.getsockname()[1], "token": "t", "pid": os.getpid(), "version": VERSION}
        file.write_text(json.dumps(found), encoding="utf-8")

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def close(self) -> None:
        self.hangs.clear()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.join(10)

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as lines:
            while first := lines.readline():
                while lines.readline().strip():
                    pass
                while self.hangs.is_set():
                    time.sleep(LOOK)
                if first.startswith(b"POST "):
                    self.asked += 1
                    time.sleep(self._seconds)
                elif self.is_deaf and self.looks >= 0:
                    time.sleep(1)
                    continue
                else:
                    self.looks += 1
                connection.sendall(
                    f"HTTP/1.1 200 OK\r\nKg-Process: {os.getpid()}\r\nContent-Length: 0\r\n\r\n".encode()
                )


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_LOOK_SECONDS", LOOK)
    monkeypatch.setattr(wire, "_INTRODUCTION_SECONDS", 0.5)


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Callable[[float], Slow]]:
    """Starts a server that takes so many seconds."""
    with contextlib.ExitStack() as stack:

        def start(seconds: float) -> Slow:
            server = Slow(tmp_path / "server.json", seconds)
            server.start()
            stack.callback(server.close)
            return server

        yield start


def post(folder: Path, *, watched: bool, within: float = 20.0) -> wire.Reply:
    with contextlib.closing(wire.Wire(str(folder / "server.json"))) as way:
        return way.request("POST", "/mcp", b"", {}, time.monotonic() + within, watched=watched)


def test_a_call_that_takes_long_is_waited_for_while_the_server_says_that_it_is_there(tmp_path: Path, slow) -> None:
    server = slow(10 * LOOK)

    assert post(tmp_path, watched=True).status == 200
    assert server.looks >= 3
    assert server.asked == 1


def test_a_call_at_a_server_that_hangs_is_given_up_long_before_its_time_and_may_have_taken_effect(
    tmp_path: Path, slow
) -> None:
    server = slow(3.0)
    threading.Timer(0.2, server.hangs.set).start()

    began = time.monotonic()
    with pytest.raises(wire.Silent) as caught:
        post(tmp_path, watched=True)

    assert caught.value.sent
    assert time.monotonic() - began < 2.5


def test_a_large_call_is_given_up_as_soon_at_a_server_that_does_not_take_it(tmp_path: Path, slow) -> None:
    server = slow(0.0)

    began = time.monotonic()
    with contextlib.closing(wire.Wire(str(tmp_path / "server.json"))) as way:
        way.greet(time.monotonic() + 20)
        server.hangs.set()
        with pytest.raises(wire.Silent):
            way.request("POST", "/mcp", b"x" * (16 << 20), {}, time.monotonic() + 20, watched=True)

    assert time.monotonic() - began < 3


def test_an_answer_that_comes_while_nobody_says_that_the_server_is_there_counts(tmp_path: Path, slow) -> None:
    server = slow(4 * LOOK)
    server.is_deaf = True

    assert post(tmp_path, watched=True).status == 200
    assert server.looks == 0


def test_a_server_that_no_longer_says_where_it_listens_is_still_waited_for(tmp_path: Path, slow) -> None:
    slow(10 * LOOK)
    threading.Timer(LOOK, (tmp_path / "server.json").unlink).start()

    assert post(tmp_path, watched=True).status == 200


def test_nobody_looks_beside_a_call_that_is_not_watched_and_its_own_deadline_holds(tmp_path: Path, slow) -> None:
    server = slow(10 * LOOK)

    with pytest.raises(wire.Silent):
        post(tmp_path, watched=False, within=4 * LOOK)
    with pytest.raises(wire.Silent):
        post(tmp_path, watched=True, within=4 * LOOK)

    assert server.looks <= 5
