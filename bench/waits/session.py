"""A running client whose every wait is timed by the model that it asks."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

from tests.acceptance.endpoint import Endpoint, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.endpoint import Call, Model, Request
    from tests.acceptance.network import Loopback

EVENTS: Final = 15
"""Tool calls of one prompt, each of them one event."""


class Talk(Protocol):
    """A client that takes one prompt after the other, until its ``with`` block ends."""

    def __enter__(self) -> object: ...

    def __exit__(self, *_: object) -> None: ...

    def say(self, prompt: str) -> object:
        """Sends a prompt and waits for the end of the turn."""
        ...


class Watch(Endpoint):
    """A scripted model that notes when it is asked."""

    def __init__(self, model: Model, network: Loopback) -> None:
        super().__init__(model, network)
        self.arrivals: list[float] = []

    def answer(self, request: Request) -> Turn:
        """The next scripted answer."""
        if request.kind == "main":
            self.arrivals.append(time.perf_counter())
        return super().answer(request)


class Session:
    """Prompts to one client. Each is answered with a fixed number of tool calls, one after the other."""

    def __init__(self, open_talk: Callable[[], Talk], model: Watch, look: Call) -> None:
        self._open, self._model, self._look = open_talk, model, look
        self._talk: Talk | None = None

    def close(self) -> None:
        """Ends the client."""
        if self._talk is not None:
            self._talk.__exit__(None, None, None)
            self._talk = None

    def start(self) -> float:
        """Seconds from the start of the client until the model is asked its first prompt."""
        self.close()
        self._forget()
        began = time.perf_counter()
        self._talk = self._open()
        self._talk.say("Hello.")
        return self._model.arrivals[0] - began

    def prompt(self, text: str) -> tuple[float, list[float]]:
        """Seconds until the model is asked, and those between its answers and what the client asks next."""
        assert self._talk is not None
        self._forget()
        self._model.script(*(Turn(calls=(self._look,)) for _ in range(EVENTS)))
        began = time.perf_counter()
        self._talk.say(text)
        asked = tuple(self._model.arrivals)
        assert len(asked) == EVENTS + 1, f"the client asked {len(asked)} times, not {EVENTS + 1}"
        return asked[0] - began, [later - earlier for earlier, later in pairwise(asked)]

    def _forget(self) -> None:
        self._model.arrivals.clear()
        self._model.requests.clear()
