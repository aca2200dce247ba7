"""What ``kg start``, ``restart`` and ``stop`` say that they have done."""

from __future__ import annotations

import errno
import json
import os

import pytest

from kg_server.lifecycle.control import Control, Started

pytestmark = pytest.mark.usefixtures("stop_server")


def test_a_restart_of_nothing_says_that_nothing_was_running(kg) -> None:
    code, out, _ = kg("restart")
    assert code == 0
    assert out.startswith("No server was running. Started. kg ")

    assert kg("restart")[1].startswith("Restarted. kg ")
    again = json.loads(kg("restart", "--json")[1])
    assert (again["running"], again["started"], again["replaced"]) == (True, True, True)
    assert again["health"]["pid"]


def test_a_start_and_a_stop_tell_a_program_what_they_did(kg, home) -> None:
    started, found = (json.loads(kg("start", "--json")[1]) for _ in range(2))

    assert (started["started"], started["replaced"], found["started"]) == (True, False, False)
    assert started["health"]["pid"] == found["health"]["pid"]
    assert json.loads(kg("stop", "--json")[1]) == {"running": False, "stopped": True, "home": str(home.root)}
    assert json.loads(kg("stop", "--json")[1])["stopped"] is False


def test_a_start_in_place_of_an_older_server_says_so(kg, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = Started({"version": "9", "pid": 7}, fresh=True, replaced=True)
    monkeypatch.setattr(Control, "start", lambda _: newer)

    assert kg("start")[1].startswith("Started in place of an older one. kg 9 ")


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_in_place_of_the_log_is_named_instead_of_read(kg, home, make) -> None:
    home.state.mkdir(parents=True, exist_ok=True)
    make(home.log)

    code, out, err = kg("logs")

    assert (code, out) == (3, "")
    assert f"{home.log} is not a regular file" in err


def test_a_stop_where_nothing_can_be_written_says_what_it_did(kg, home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.state.mkdir()
    open_file = os.open

    def read_only(name, flags, *rest, **more):
        if flags & os.O_CREAT and str(name).startswith(str(home.root)):
            raise OSError(errno.EROFS, "Read-only file system", str(name))
        return open_file(name, flags, *rest, **more)

    monkeypatch.setattr(os, "open", read_only)
    monkeypatch.setattr(os, "access", lambda *_: False)

    assert kg("stop") == (0, "No server was running.\n", "")


def test_a_stop_that_cannot_keep_agents_from_starting_the_server_says_so(
    kg, home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the disk is full."""
    monkeypatch.setattr("kg_server.lifecycle.control.touch", lambda _: False)

    code, out, err = kg("stop")

    assert (code, out) == (3, "No server was running.\n")
    assert f"{home.state / 'stopped'} cannot be written, so the next call of an agent starts the server again" in err
