"""Commands that take long say so once a second, and are silent before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from kg_core.store import Home
from kg_server.cli import options, setup
from kg_server.cli.group import run_command
from kg_server.lifecycle.control import Control, Started
from kg_server.setup.verify import Proof

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def slow_clock() -> tuple[threading.Event, Callable[[], float]]:
    """A clock that is past one second when it is asked for the second time, and what is set once that was heard."""
    ended = threading.Event()
    moments = iter([0.0, 1.2])

    def monotonic() -> float:
        moment = next(moments, None)
        if moment is None:
            ended.set()
        return 1.3 if moment is None else moment

    return ended, monotonic


def test_what_takes_longer_than_a_second_is_said(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    ended = threading.Event()
    moments = iter([0.0, 0.5, 1.2, 1.9, 2.4])

    def clock() -> float:
        moment = next(moments, None)
        if moment is None:
            ended.set()
            return 2.5
        return moment

    monkeypatch.setattr(options, "time", SimpleNamespace(monotonic=clock))

    assert options.patiently("Reading", lambda: ended.wait(30)) is True

    assert capsys.readouterr().err.splitlines() == ["Reading … 1 s", "Reading … 2 s"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show"], "Looking"),
        (["search", "x"], "Searching"),
        (["why", "x"], "Looking"),
        (["why-recall"], "Looking"),
        (["preview"], "Looking"),
        (["map", "show"], "Looking"),
        (["map", "check"], "Checking"),
        (["doctor"], "Looking"),
    ],
)
def test_a_look_that_has_to_wait_says_so(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    ended, monotonic = slow_clock()

    def answer(*_: object, **__: object) -> dict[str, object]:
        ended.wait(30)
        return {"text": "", "ok": True, "missing": [], "measure": 1, "limit": 2, "unit": "bytes"}

    monkeypatch.setattr(options, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr("kg_server.client.Client.get", answer)
    monkeypatch.setattr("kg_server.setup.findings.findings", lambda *_: [])
    monkeypatch.setenv("KG_HOME", str(tmp_path))

    assert run_command(arguments) == 0

    assert f"{said} … 1 s\n" in capsys.readouterr().err


def test_a_set_up_whose_proof_has_to_wait_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    ended, monotonic = slow_clock()

    def proved(*_: object) -> Proof:
        ended.wait(30)
        return Proof(11, 1.3)

    monkeypatch.setattr(options, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr("kg_server.setup.verify.through_shim", proved)
    monkeypatch.setattr(Control, "start", lambda *_, **__: Started(health={"pid": 1}, fresh=True))

    setup._prove(Home(tmp_path), [], [])

    assert capsys.readouterr().err == "Any MCP client: asking the memory … 1 s\n"


def test_what_fails_fails_as_it_does_by_itself() -> None:
    with pytest.raises(ZeroDivisionError):
        options.patiently("Reading", lambda: 1 // 0)


NEVER_ANSWERED = """
import sys, threading
from kg_server.client import Client
from kg_server.main import main

Client.get = lambda *_, **__: threading.Event().wait()
sys.argv = ["kg", "show"]
main()
"""


def test_an_interrupt_is_not_kept_waiting_for_what_does_not_end(tmp_path: Path) -> None:
    command = [sys.executable, "-c", NEVER_ANSWERED]
    environ = {**os.environ, "KG_HOME": str(tmp_path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", env=environ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "Looking … 1 s\n"

        process.send_signal(signal.SIGINT)

        try:
            assert process.wait(30) == 130
        finally:
            process.kill()
