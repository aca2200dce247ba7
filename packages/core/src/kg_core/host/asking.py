"""Asking plug-ins: whatever they raise, however long they take, the asker goes on and knows whose fault it was."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from kg_core.host.problem import Loaded, Problem
from kg_core.host.shapes import flaw

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = TypeVar("Answer")
Fallback = TypeVar("Fallback")

SLOW: Final = 0.25
"""Seconds within which a plug-in answers: as long as an agent waits for an event."""
PATIENCE: Final = 3
"""Slow answers in a row after which a plug-in is not asked that any more."""
_MOST: Final = 50
"""How many different problems are kept."""


@dataclass(slots=True)
class Asking:
    """Asks plug-ins and keeps what went wrong, each problem once."""

    clock: Callable[[], float] = time.monotonic
    problems: dict[Problem, None] = field(default_factory=dict)
    _slow: dict[tuple[Loaded, str], int] = field(default_factory=dict)
    """How many answers in a row were slow."""
    _now: tuple[Loaded, str, float] | None = None
    """Who is asked what at the moment, and since when."""

    def ask(
        self, whose: Loaded, what: str, question: Callable[[], object], kind: type[Answer], fallback: Fallback
    ) -> Answer | Fallback:
        """The answer; ``fallback`` when the plug-in raises, answers with something else than ``kind`` or with one whose
        fields hold something else than they promise, or has been too slow too often to be asked again.

        What a plug-in says about its failure is not kept, as it may hold what a person wrote: only its kind and place.
        """
        asked = (whose, what)
        if self._slow.get(asked, 0) >= PATIENCE:
            return fallback
        since = self.clock()
        self._now = (whose, what, since)
        try:
            answer = question()
        except KeyboardInterrupt:  # a person's
            raise
        except BaseException as failure:  # noqa: BLE001 - plug-in border: an exit of its own would end the server
            self.failed(whose, what, failure)
            return fallback
        finally:
            self._now = None
            self._time(asked, self.clock() - since)
        if isinstance(answer, kind):
            if not (wrong := flaw(answer)):
                return answer
            self.report(whose, f"In what its {what} gave, {wrong}.")
            return fallback
        if answer is not None or fallback is not None:
            self.report(whose, f"Its {what} gave a {type(answer).__name__} instead of a {kind.__name__}.")
        return fallback

    def held(self, seconds: float) -> str:
        """A sentence about the plug-in that has not answered for so long, from any thread; nothing while there is none.

        Nobody can interrupt it, and whoever asked waits.
        """
        now = self._now
        if now is None or self.clock() - now[2] < seconds:
            return ""
        whose, what, _ = now
        return (
            f"The plug-in {whose.name} does not come back from its {what}, and nobody is served meanwhile. "
            f'`[plugins] disabled = ["{whose.name}"]` in config.toml leaves it out.'
        )

    def failed(self, whose: Loaded, what: str, failure: BaseException) -> None:
        """Keeps that something of a plug-in failed, by its kind and place."""
        self.report(whose, f"Its {what} failed: {type(failure).__name__}{_place(failure)}.")

    def report(self, whose: Loaded, reason: str) -> None:
        """Keeps a problem, unless it is known or there are too many."""
        if len(self.problems) < _MOST:
            self.problems[Problem(whose.name, whose.distribution, reason)] = None

    def _time(self, asked: tuple[Loaded, str], seconds: float) -> None:
        if seconds <= SLOW:
            self._slow.pop(asked, None)
            return
        whose, what = asked
        self._slow[asked] = self._slow.get(asked, 0) + 1
        self.report(whose, f"Its {what} took more than {SLOW:.2f} s, which everybody else has to wait for.")
        if self._slow[asked] >= PATIENCE:
            sentence = (
                f"Its {what} was slow {PATIENCE} times in a row and is not asked again until the server restarts."
            )
            self.report(whose, sentence)


def _place(failure: BaseException) -> str:
    frames = traceback.extract_tb(failure.__traceback__)
    return f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
