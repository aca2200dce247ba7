"""What a server does whose descriptors are all in use."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import resource
from typing import TYPE_CHECKING

from kg_server.lifecycle.descriptors import Exhaustion, allow_many

if TYPE_CHECKING:
    import pytest


def test_a_loop_that_can_accept_nobody_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.new_event_loop()
    try:
        loop.set_exception_handler(Exhaustion())
        context = {"message": "accept", "exception": OSError(errno.EMFILE, os.strerror(errno.EMFILE)), "socket": None}
        with caplog.at_level(logging.ERROR):
            for _ in range(100):
                loop.call_exception_handler(context)

        (record,) = caplog.records
        assert record.getMessage() == "No connection can be accepted for now: Too many open files."
        assert record.exc_info is None
    finally:
        loop.close()


def test_whatever_else_a_loop_cannot_raise_is_told_each_time(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.new_event_loop()
    try:
        loop.set_exception_handler(Exhaustion())
        with caplog.at_level(logging.ERROR):
            for failure in (OSError(errno.EMFILE, "of a file"), ValueError("odd")):
                loop.call_exception_handler({"message": "a task failed", "exception": failure})

        assert [record.getMessage() for record in caplog.records] == ["a task failed"] * 2
    finally:
        loop.close()


def test_the_server_asks_for_more_descriptors_and_never_for_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(now: int, most: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        monkeypatch.setattr(resource, "getrlimit", lambda _: (now, most))
        monkeypatch.setattr(resource, "setrlimit", lambda _, limits: found.append(limits))
        allow_many()
        return found

    assert asked(256, 1_000_000) == [(8_192, 1_000_000)]
    assert asked(256, resource.RLIM_INFINITY) == [(8_192, resource.RLIM_INFINITY)]
    assert asked(256, 1_024) == [(1_024, 1_024)]
    assert asked(20_000, 20_000) == asked(resource.RLIM_INFINITY, resource.RLIM_INFINITY) == []
