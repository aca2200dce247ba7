from __future__ import annotations

import asyncio

import pytest

from kg_core.host import Loaded
from kg_core.host.asking import PATIENCE, SLOW, Asking
from kg_plugin_api import Event, EventKind

WHOSE = Loaded("agent", "dist-agent 1.0")


class Clock:
    """Advances by what the next question costs."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def asking(clock: Clock) -> Asking:
    return Asking(clock=clock)


def reasons(asking: Asking) -> list[str]:
    assert all((problem.name, problem.distribution) == ("agent", "dist-agent 1.0") for problem in asking.problems)
    return [problem.reason for problem in asking.problems]


def test_an_answer_of_the_right_kind_is_given_on(asking: Asking) -> None:
    assert asking.ask(WHOSE, "reply", lambda: "text", str, "") == "text"
    assert asking.ask(WHOSE, "parse", lambda: None, str, None) is None
    assert reasons(asking) == []


def test_a_failure_is_kept_once_without_what_it_said(asking: Asking) -> None:
    def fail() -> str:
        raise ValueError("a person's secret")

    for _ in range(2):
        assert asking.ask(WHOSE, "reply", fail, str, "") == ""

    (reason,) = reasons(asking)
    assert reason.startswith("Its reply failed: ValueError at test_host_asking.py:")


@pytest.mark.parametrize(("answer", "named"), [(7, "int"), (None, "NoneType"), (b"x", "bytes")])
def test_an_answer_of_another_kind_is_a_failure(asking: Asking, answer: object, named: str) -> None:
    assert asking.ask(WHOSE, "reply", lambda: answer, str, "") == ""
    assert reasons(asking) == [f"Its reply gave a {named} instead of a str."]


@pytest.mark.parametrize("end", [SystemExit, asyncio.CancelledError, GeneratorExit])
def test_a_plug_in_that_ends_the_program_ends_nothing(asking: Asking, end: type[BaseException]) -> None:
    def leave() -> str:
        raise end

    assert asking.ask(WHOSE, "reply", leave, str, "") == ""
    assert reasons(asking)[0].startswith(f"Its reply failed: {end.__name__} at test_host_asking.py:")


def test_an_interrupt_is_a_persons_and_goes_through(asking: Asking) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asking.ask(WHOSE, "reply", interrupted, str, "")


def test_an_answer_with_a_field_of_another_kind_is_a_failure(asking: Asking) -> None:
    wrong = Event(kind=EventKind.PROMPT, native="Prompt", session=5)  # type: ignore[arg-type]

    assert asking.ask(WHOSE, "reading", lambda: wrong, Event, None) is None
    assert reasons(asking) == ["In what its reading gave, session is a int instead of str."]


def test_only_slowness_without_a_pause_ends_the_asking_and_only_of_that_question(asking: Asking, clock: Clock) -> None:
    asked = []

    def take(seconds: float) -> str:
        asked.append(seconds)
        clock.now += seconds
        return "text"

    for seconds in [SLOW * 2] * (PATIENCE - 1) + [0.0] + [SLOW * 2] * (PATIENCE - 1) + [0.0]:
        assert asking.ask(WHOSE, "reply", lambda seconds=seconds: take(seconds), str, "") == "text"
    assert len(reasons(asking)) == 1
    for _ in range(PATIENCE):
        asking.ask(WHOSE, "reply", lambda: take(SLOW * 2), str, "")
    before = len(asked)

    assert asking.ask(WHOSE, "reply", lambda: take(0.0), str, "") == ""
    assert len(asked) == before
    assert "not asked again" in reasons(asking)[-1]
    assert asking.ask(WHOSE, "parse", lambda: take(0.0), str, "") == "text"


def test_who_does_not_come_back_is_named_while_it_does_not(asking: Asking, clock: Clock) -> None:
    def look() -> str:
        clock.now += 5.0
        return asking.held(3.0)

    assert asking.held(0.0) == ""
    assert asking.ask(WHOSE, "reading of events", look, str, "").startswith(
        "The plug-in agent does not come back from its reading of events"
    )
    assert asking.held(0.0) == ""


def test_problems_do_not_grow_without_end(asking: Asking) -> None:
    for number in range(1_000):
        asking.report(WHOSE, f"Number {number}.")

    assert len(asking.problems) == 50
