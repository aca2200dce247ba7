"""Pipes in place of files of ours: whoever opens one may wait for ever, and nobody does."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
import time
from typing import TYPE_CHECKING, TypeVar

import pytest

from kg_core.policy import Decision, Reason, Source
from kg_core.store import OsFiles
from kg_server.carrier import late
from kg_server.carrier.answers import Answers
from kg_server.carrier.places import Places, touch
from kg_server.carrier.regular import sink
from kg_server.carrier.wire import Wire, endpoint
from kg_server.heard import Heard
from kg_server.keeping import imported
from kg_server.keeping.exchange import trees
from kg_server.lifecycle.control import tail
from kg_server.linelog import LineLog
from kg_server.recall_log import Moment, RecallLog
from kg_server.setup.copies import found_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kg_core.store import Home

T = TypeVar("T")

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes here")


@pytest.fixture
def state(home: Home) -> Path:
    home.state.mkdir(parents=True)
    return home.state


def pipe(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


def at_once(act: Callable[[], T], odd: Path) -> T:
    """What ``act`` returns, which does not wait for the pipe; one that waits is let go, or the tests never ended."""
    found: list[T] = []
    worker = threading.Thread(target=lambda: found.append(act()), daemon=True)
    worker.start()
    worker.join(5)
    waits = worker.is_alive()
    while worker.is_alive():
        os.close(os.open(odd, os.O_RDWR | os.O_NONBLOCK))
        time.sleep(0.01)
    assert not waits, f"it waits for {odd}"
    assert found, "it raised"
    return found[0]


def test_a_log_of_lines_says_so_and_puts_a_file_in_its_place_with_the_next_rewrite(state: Path) -> None:
    odd = pipe(state / "contexts.jsonl")
    log = LineLog(odd)

    assert at_once(lambda: list(log.load()), odd) == []
    assert "not a regular file" in log.problem
    at_once(lambda: [log.append({"a": 1})], odd)
    assert "not a regular file" in log.problem
    assert log.wants_rewrite
    asyncio.run(log.rewrite([{"a": 1}]))

    assert log.problem == ""
    assert list(log.load()) == [{"a": 1}]
    log.close()


def test_the_last_events_are_noted_in_a_file_all_the_same(state: Path) -> None:
    odd = pipe(state / "heard.json")
    heard = at_once(lambda: Heard(odd), odd)
    heard.event("claude", "Stop", 5)
    at_once(lambda: [heard.save()], odd)

    assert list(Heard(odd).told()) == ["claude"]

    aside = pipe(state / "heard.tmp")
    heard.event("codex", "Stop", 6)
    at_once(lambda: [heard.save()], aside)
    assert list(Heard(odd).told()) == ["claude"]


def test_the_recall_log_loses_its_lines_and_stops_nothing(state: Path, caplog: pytest.LogCaptureFixture) -> None:
    odd = pipe(state / "recall.jsonl")
    log = RecallLog(odd, lambda: 5)
    moment = Moment(at=5, harness="claude", session="s", context="abcd2345", event="prompt", project="")
    log.note(moment, [Decision(source=Source.PROMPT, reason=Reason.WEAK, candidates=(), threshold=0.65)])

    assert at_once(lambda: asyncio.run(log.newest(lambda _: True, 5)), odd) == []
    assert "not a regular file" in caplog.text


def test_where_the_server_listens_is_not_known(home: Home, state: Path) -> None:
    odd = pipe(state / "server.json")
    assert at_once(lambda: [endpoint(str(home.server_file))], odd) == [None]


def test_a_carrier_has_no_answers(home: Home, state: Path) -> None:
    odd = pipe(state / "mcp" / "plain.json")
    assert at_once(lambda: Answers.load(Places(str(home.root)), "plain"), odd).result("discover") is None


@pytest.mark.parametrize("name", ["outage.json", "stopped", "starting"])
def test_a_time_cannot_be_noted(state: Path, name: str) -> None:
    odd = pipe(state / name)
    assert at_once(lambda: [touch(str(odd))], odd) == [False]


def test_an_event_that_was_kept_is_given_up(home: Home, state: Path) -> None:
    odd = pipe(state / "late" / "00000000000000000001-1")
    places = Places(str(home.root))

    at_once(lambda: [late.hand_over(places, Wire(places.server), time.monotonic() + 5)], odd)

    assert not odd.exists()


def test_the_log_of_the_server_is_refused_and_a_device_is_not(home: Home, state: Path) -> None:
    odd = pipe(state / "server.log")

    def refused() -> str:
        with pytest.raises(OSError, match="not a regular file") as caught:
            sink(str(odd))
        return str(caught.value.filename)

    assert at_once(refused, odd) == str(odd)
    assert at_once(lambda: [tail(home, 5)], odd) == [[]]

    forgets = sink(os.devnull)
    assert stat.S_ISCHR(os.fstat(forgets).st_mode)
    assert os.get_blocking(forgets)
    os.close(forgets)


def test_a_list_of_work_trees_and_a_record_of_imports_are_not_there(home: Home, state: Path) -> None:
    odd = pipe(state / "team.json")
    assert at_once(lambda: [trees(home)], odd) == [()]

    asyncio.run(imported.write(home, "/a/source", imported.Offered({"user": {"a": "1"}}, {})))
    (record,) = (state / "imports").iterdir()
    record.unlink()
    pipe(record)
    assert at_once(lambda: imported.read(home, "/a/source"), record) == imported.Offered()


def test_a_skill_that_is_none_is_no_copy_of_ours(tmp_path: Path) -> None:
    odd = pipe(tmp_path / "skills" / "odd" / "SKILL.md")
    assert at_once(lambda: [list(found_in(tmp_path / "skills"))], odd) == [[]]


def test_an_unfinished_file_of_the_memory_cannot_be_written(state: Path) -> None:
    odd = pipe(state / "footprints.json.tmp")

    def refused() -> str:
        with pytest.raises(OSError, match="not a regular file") as caught:
            OsFiles().write(odd, (b"{}",))
        return str(caught.value.filename)

    assert at_once(refused, odd) == str(odd)
