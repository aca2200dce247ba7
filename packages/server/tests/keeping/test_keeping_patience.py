"""Commands that take long say so once a second, and are silent before."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from kg_server.cli import options


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
