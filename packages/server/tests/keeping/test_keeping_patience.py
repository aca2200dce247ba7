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

from kg_server.cli import options

if TYPE_CHECKING:
    from pathlib import Path


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


def test_what_fails_fails_as_it_does_by_itself() -> None:
    with pytest.raises(ZeroDivisionError):
        options.patiently("Reading", lambda: 1 // 0)


def test_an_interrupt_is_not_kept_waiting_for_what_does_not_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "nobody-writes")
    command = [sys.executable, "-m", "kg_server", "import", str(tmp_path / "nobody-writes")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "Reading nobody-writes … 1 s\n"

        process.send_signal(signal.SIGINT)

        try:
            assert process.wait(30) == 130
        finally:
            process.kill()
