"""Messages are taken in turns, one at a time, and what they ask for is done side by side."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from kg_server.carrier.answers import AnswersFile
from kg_server.carrier.places import Places
from kg_server.carrier.turns import MOST_WAITING, Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

SECONDS = 10
"""So long a test waits for what happens at once."""


def taking(works: Iterator[Callable[[], None]]) -> Turns:
    return Turns(lambda: next(works, None))


def test_the_next_message_is_taken_while_an_earlier_one_is_worked_on() -> None:
    was_taken, is_done = threading.Event(), threading.Event()

    def works() -> Iterator[Callable[[], None]]:
        yield lambda: is_done.set() if was_taken.wait(SECONDS) else None
        was_taken.set()

    taking(works()).run()

    assert is_done.wait(SECONDS)


def test_messages_are_taken_in_order_and_one_at_a_time() -> None:
    taking_now = threading.Lock()
    taken: list[int] = []

    def works() -> Iterator[Callable[[], None]]:
        for number in range(200):
            assert taking_now.acquire(blocking=False)
            taken.append(number)
            taking_now.release()
            yield lambda: None

    taking(works()).run()

    assert taken == list(range(200))


def test_after_many_calls_at_once_only_a_few_threads_stay() -> None:
    before = set(threading.enumerate())
    at_work, go_on, is_read = threading.Barrier(41), threading.Event(), threading.Event()

    def work() -> None:
        at_work.wait(SECONDS)
        go_on.wait(SECONDS)

    def works() -> Iterator[Callable[[], None]]:
        for _ in range(40):
            yield work
        is_read.wait(SECONDS)

    reading = threading.Thread(target=taking(works()).run)
    reading.start()
    at_work.wait(SECONDS)
    go_on.set()
    for thread in set(threading.enumerate()) - before - {reading}:
        thread.join(0.1)
    left = set(threading.enumerate()) - before - {reading}
    is_read.set()
    reading.join(SECONDS)

    assert len(left) <= 1 + MOST_WAITING


def test_a_failure_to_take_ends_it_instead_of_waiting_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    is_told = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: is_told.set())

    def take() -> None:
        raise RuntimeError("no more")

    running = threading.Thread(target=Turns(take).run, daemon=True)
    running.start()
    running.join(SECONDS)

    assert not running.is_alive()
    assert is_told.wait(SECONDS)


def test_answers_that_are_kept_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    places = Places(str(tmp_path))
    file = Path(places.answers("plain"))
    answers = AnswersFile(places, "plain")
    assert answers.load().result("tools") is None

    file.parent.mkdir(parents=True)
    file.write_text('{"tools": {"old": 1}}', encoding="utf-8")
    assert answers.load().result("tools") == {"old": 1}
    assert answers.load() is answers.load()

    fresh = file.with_suffix(".new")
    fresh.write_text('{"tools": {"new": 1}}', encoding="utf-8")
    fresh.replace(file)
    assert answers.load().result("tools") == {"new": 1}

    file.unlink()
    assert answers.load().result("tools") is None
