"""A server that is down or hangs costs a working session next to nothing, says so once, and is back by itself."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Final

import pytest

from .endpoint import Call, Turn
from .lessons import by_hand, many, times
from .machine import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from . import claude as claude_driver
    from . import codex as codex_driver
    from . import copilot as copilot_driver
    from .claude import Claude
    from .codex import Codex
    from .copilot import Copilot
    from .endpoint import Endpoint
    from .machine import Machine

pytestmark = pytest.mark.acceptance

LINE: Final = "the memory server does not answer"
EVENTS: Final = 10
SKIPPED: Final = 10.0
"""Seconds for which the carriers skip after a miss."""
TRIES: Final = 3
"""So many outages of a kind there are at most: within one prompt a client may pause as long as a deadline."""


class Session:
    """A session already started, in which each prompt is answered by ten tool calls one after the other."""

    def __init__(
        self,
        talk: claude_driver.Talk | codex_driver.Talk | copilot_driver.Talk,
        model: Endpoint,
        look: Callable[[], Call],
    ) -> None:
        self._talk = talk
        self._look = look
        self.model = model
        self.outages = 0

    def seconds(self, prompt: str) -> float:
        """How long the client took for a prompt with ten tool events."""
        self.model.script(*(Turn(calls=(self._look(),)) for _ in range(EVENTS)))
        start = time.monotonic()
        self._talk.say(prompt)
        return time.monotonic() - start

    def told(self) -> int:
        """How often the line about an outage stands in the last request."""
        return times((item.text for item in self.model.asked()[-1].items), LINE)


def hang(machine: Machine) -> Callable[[], None]:
    """Makes the server hang; what is returned lets it go on."""
    number = machine.pause()
    return lambda: machine.resume(number)


def break_down(machine: Machine) -> Callable[[], None]:
    """Ends the server and makes it unable to start; what is returned mends that and starts it."""
    number = machine.server()
    assert number is not None
    settings = machine.memory / "config.toml"
    kept = settings.read_bytes() if settings.exists() else None
    settings.write_text("this is = not a setting\n", encoding="utf-8")
    os.kill(number, signal.SIGKILL)
    assert until(lambda: machine.server() is None)

    def mend() -> None:
        settings.unlink()
        if kept is not None:
            settings.write_bytes(kept)
        machine.kg("start")

    return mend


OUTAGES: Final = {
    hang: ("The kettle whistle is tuned by its second hole.", "Why is the kettle whistle off?"),
    break_down: ("The lantern wick is trimmed by its third thread.", "Why is the lantern wick off?"),
}
"""Each kind of outage, with a lesson that the session has not been told before, and the prompt that brings it."""


OLD: Final = "2026-01-01T00:00:00.000Z"
"""Before all other lessons: none that a session starts with has room for it."""


def check(machine: Machine, session: Session, bare: list[float]) -> None:
    healthy = [session.seconds(f"Look at it, {number}.") for number in range(3)]
    carrier = max(0.0, min(healthy) - min(bare)) / (EVENTS + 1)
    noise = max(bare) - min(bare) + max(healthy) - min(healthy)
    for fail, (gist, prompt) in OUTAGES.items():
        assert gist not in session.model.asked()[-1].text
        seen = []
        for _ in range(TRIES):
            failing, misses = live_through(machine, session, fail, gist, prompt)
            # It is a single prompt, so it is held against the slowest of those without kg, not against the quickest.
            allowed = max(bare) + misses * 0.3 + carrier * (EVENTS + 1) + noise
            seen.append((failing, allowed))
            if failing <= allowed:
                break
        else:
            pytest.fail(f"{fail.__name__}: without kg {bare}, with kg {healthy}, without its server, allowed: {seen}")


def live_through(
    machine: Machine, session: Session, fail: Callable[[Machine], Callable[[], None]], gist: str, prompt: str
) -> tuple[float, int]:
    """Seconds for the first prompt of an outage, and how often the server may have been asked in vain meanwhile."""
    mend = fail(machine)
    session.outages += 1
    began = time.monotonic()
    try:
        failing = session.seconds("Look at it once more.")
        # The ten seconds of silence may end within a prompt, and the server is then asked again.
        misses = 1 + int((time.monotonic() - began) / SKIPPED)
        assert session.told() == session.outages
        session.seconds("And again.")
        assert session.told() == session.outages
    finally:
        mend()
    time.sleep(SKIPPED + 0.1)
    seen = len(session.model.asked())
    session.seconds(prompt)
    assert gist in session.model.asked()[seen].text
    assert session.told() == session.outages
    return failing, misses


@pytest.fixture
def folder(machine: Machine) -> Path:
    """A repository on a machine whose memory holds a lesson for each outage that only a prompt can bring."""
    long = " It does so" + " and so on" * 20 + "."  # a short one is shown where the next of the others has no room
    brought = {f"lesson-{n}": {"gist": gist + long, "created": OLD} for n, (gist, _) in enumerate(OUTAGES.values())}
    by_hand(machine, {**brought, **many(150)})
    return machine.repository()


@pytest.fixture
def goes_on(machine: Machine, folder: Path) -> Callable[..., None]:
    """Measures a client without kg, then with it through each outage; each event is the same call of a tool."""

    def run(agent: str, client: Claude | Codex | Copilot, tool: str, **arguments: str) -> None:
        def look() -> Call:
            return Call(name=tool, arguments=arguments)

        with client.talk(folder) as talk:
            session = Session(talk, client.model, look)
            session.seconds("Warm up.")
            bare = [session.seconds(f"Without kg, {number}.") for number in range(3)]
        machine.setup(agent)
        with client.talk(folder) as talk:
            session = Session(talk, client.model, look)
            session.seconds("Warm up.")
            check(machine, session, bare)

    return run


def test_claude_code_goes_on_without_a_server(goes_on: Callable[..., None], claude: Claude, folder: Path) -> None:
    goes_on("claude", claude, "Read", file_path=str(folder / "readme.txt"))


def test_codex_goes_on_without_a_server(goes_on: Callable[..., None], codex: Codex) -> None:
    goes_on("codex", codex, "exec_command", cmd="cat readme.txt")


def test_copilot_goes_on_without_a_server(goes_on: Callable[..., None], copilot: Copilot, folder: Path) -> None:
    goes_on("copilot", copilot, "view", path=str(folder / "readme.txt"))
