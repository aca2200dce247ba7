"""One run from its beginning to its record."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Final

from kg_plugin_api import KgError
from kg_server.lifecycle.control import Control
from soak.book import Book, State
from soak.carriers import Inside
from soak.crew import Crew
from soak.disturber import Disturber
from soak.editing import Editing
from soak.files import leftovers, stored
from soak.place import Place
from soak.record import Record
from soak.schedule import schedule
from soak.sizes import sample
from speed.process import scratch_environ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from soak.sizes import Sample

_SAMPLE_EVERY: Final = 5.0
_SAY_EVERY: Final = 10.0
_TAKEN_OVER: Final = 2.0
"""Seconds within which the last edits of files are taken over; the server promises one."""
_LEFT_AFTER: Final = 15.0


def soak(seconds: float, *, seed: int, sessions: int, pretends: bool, say: Callable[[str], None]) -> Record:
    """Runs for ``seconds`` and looks at what there is in the end. The disk may only pretend to be full."""
    with Place(pretends=pretends) as place, _as_an_agent_would(place):
        return _Run(place, seconds, seed, sessions, say).record()


@contextlib.contextmanager
def _as_an_agent_would(place: Place) -> Iterator[None]:
    """What carriers hand on to the server that they start: an environment, and the interpreter that they run in."""
    own, before = sys.executable, dict(os.environ)
    sys.executable = place.python
    os.environ.clear()
    os.environ.update(scratch_environ(place.root))
    try:
        yield
    finally:
        sys.executable = own
        os.environ.clear()
        os.environ.update(before)


class _Run:
    def __init__(self, place: Place, seconds: float, seed: int, sessions: int, say: Callable[[str], None]) -> None:
        self._place = place
        self._seconds = seconds
        self._seed = seed
        self._say = say
        began = time.monotonic()
        self._now: Callable[[], float] = lambda: time.monotonic() - began
        self._samples: list[Sample] = []
        self._crew = Crew(place, sessions, seed, self._now)
        self._disturber = Disturber(place, schedule(seconds, seed), self._now)

    def record(self) -> Record:
        """Runs, stops everything, and reads the files."""
        place, crew, disturber = self._place, self._crew, self._disturber
        prepared = _prepared(place)
        editing = Editing(place.home, self._seed, self._now)
        crew.start()
        disturber.start()
        try:
            self._watch()
        finally:
            crew.stop()
            editing.stop()
            disturber.stop()
            failures = [*self._end(), *disturber.failures, *crew.crashed]
            left = place.left_over(_LEFT_AFTER)
        self._sample()
        files = stored(place.home.memory)
        books = [*(session.book for session in crew.sessions), editing.book, prepared]
        return Record(
            seconds=self._now(),
            seed=self._seed,
            disk="a small file system in memory" if place.is_real_disk else "the real one, with injected errors",
            books=books,
            stored=files,
            complaints=[
                *(complaint for session in crew.sessions for complaint in session.complaints),
                *editing.complaints,
            ],
            windows=disturber.windows,
            samples=self._samples,
            counts={
                "sessions": len(crew.sessions),
                "acknowledged writes": sum(book.acknowledged for book in books) - editing.book.acknowledged,
                "edits of files": editing.book.acknowledged,
                "things done": sum(sum(session.done.values()) for session in crew.sessions),
                "kills": disturber.kills,
                "full disks": disturber.fills,
                "payloads of 20 MB": disturber.payloads,
                "lessons in the end": sum(len(graph.lessons) for graph in files.values()),
            },
            slowest_return=disturber.slowest_return,
            failures=failures,
            left_processes=left,
            left_files=list(leftovers(place.home.root)),
        )

    def _watch(self) -> None:
        next_sample, next_line = 0.0, _SAY_EVERY
        while (now := self._now()) < self._seconds:
            if now >= next_sample:
                self._sample()
                next_sample = now + _SAMPLE_EVERY
            if now >= next_line:
                next_line = now + _SAY_EVERY
                self._say(self._line(now))
            time.sleep(0.2)

    def _sample(self) -> None:
        self._samples.append(sample(self._place.home, self._place.servers(), self._now()))

    def _line(self, now: float) -> str:
        sessions, sizes = self._crew.sessions, self._samples[-1].sizes
        acknowledged = sum(session.book.acknowledged for session in sessions)
        complaints = sum(len(session.complaints) for session in sessions)
        shown = ", ".join(f"{name} {size / (1 << 20):.1f}" for name, size in sizes.items())
        return f"{now:5.0f} s: {acknowledged} writes acknowledged, {complaints} errors told; MiB: {shown}"

    def _end(self) -> list[str]:
        """Has the server take over the last edits and stop in the ordinary way; what went wrong with that."""
        control = Control(self._place.home)
        try:
            health = control.start().health
            time.sleep(_TAKEN_OVER)
            control.stop()
        except KgError as error:
            return [f"the server could not be stopped in the ordinary way: {error.sentence}"]
        return [f"health names a problem: {problem}" for problem in health.get("problems", [])]


def _prepared(place: Place) -> Book:
    """Writes one lesson into each graph and starts the server anew: from then on there are files to edit."""
    book = Book("prepared")
    for level, project in [("user", place.projects[0]), *(("project", project) for project in place.projects)]:
        lesson = book.begin("user" if level == "user" else f"project:{project.name}")
        state = State(f"first-of-{level}", f"A run begins with this on level {level}.")
        carriers = Inside(place.home, "mcp", project)
        sent = {"level": level, "id": state.id, "gist": state.gist}
        answer = carriers.call("kg_put_node", sent, {}, arrived=True)
        if answer.is_error:
            raise RuntimeError(f"the run cannot begin: {answer.text}")
        lesson.acknowledged(state)
        carriers.close()
    Control(place.home).restart()
    return book
