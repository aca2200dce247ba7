"""Does to the server what the schedule says, and notes from when to when each trouble lasted."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING, Final

from kg_server.carrier.places import Places
from kg_server.carrier.start import healthy
from soak import payload
from soak.schedule import Step, What
from soak.trouble import Trouble, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from soak.place import Place

COMES_BACK_WITHIN: Final = 30.0
"""Seconds after a kill, or after there is room on the disk again, within which carriers must have a server running."""
_AFTER_DOWN: Final = 1.0
_AFTER_FULL: Final = 6.0
_TICK: Final = 0.1
_LATER: Final = 1.0
"""Seconds after which it is tried again to send what needs a server."""
_BILLION: Final = 1_000_000_000


class Disturber:
    """Runs on a thread of its own from :meth:`start` to :meth:`stop`. ``failures`` says what did not go as it must."""

    def __init__(self, place: Place, steps: Sequence[Step], now: Callable[[], float]) -> None:
        self.failures: list[str] = []
        self.windows: list[Window] = []
        self.kills = 0
        self.fills = 0
        self.payloads = 0
        self.slowest_return = 0.0
        self._place = place
        self._steps = list(steps)
        self._now = now
        self._places = Places(str(place.home.root))
        self._full_since: float | None = None
        self._down_since: float | None = None
        self._free_since = 0.0
        self._clock_since: float | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Ends: there is room again, and the clock is right."""
        self._over.set()
        self._thread.join(120)
        self._free()
        self._place.switches.set(clock=0)
        end = self._now()
        if self._down_since is not None:
            self.windows.append(Window(Trouble.DOWN, self._down_since, end))
        if self._clock_since is not None:
            self.windows.append(Window(Trouble.CLOCK, self._clock_since, end))

    def _run(self) -> None:
        while not self._over.wait(_TICK):
            now = self._now()
            while self._steps and self._steps[0].at <= now:
                step = self._steps.pop(0)
                try:
                    self._do(step.what, step.value)
                except Exception as failure:  # noqa: BLE001 - thread border: a fault of the soak must fail the run
                    self.failures.append(f"{step.what.name} failed: {failure!r}")
            if self._full_since is not None:
                self._place.fill()
            if self._down_since is not None:
                self._look(now)

    def _do(self, what: What, value: float) -> None:
        match what:
            case What.KILL:
                self._kill()
            case What.FULL:
                self._full_since = self._now()
                self.fills += 1
            case What.FREE:
                self._free()
            case What.CLOCK:
                self._clock_since = self._clock_since or self._now()
                self._place.switches.set(clock=round(value * _BILLION))
            case What.PAYLOAD if self._down_since is not None:
                self._steps.insert(0, Step(self._now() + _LATER, what))
            case What.PAYLOAD:
                self.payloads += 1
                self.failures += payload.failures(self._place.home, self._place.python, self._place.projects[0])

    def _kill(self) -> None:
        """Kills the server. One that carriers have not brought back yet is left to start: machines may be slow."""
        if self._down_since is not None:
            return
        self._down_since = self._now()
        servers = self._place.servers()
        if not servers:
            self.failures.append("there was no server to kill")
        for pid in servers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.kills += 1

    def _look(self, now: float) -> None:
        """Whether carriers have brought the server back."""
        since = self._down_since
        if since is None:
            return
        if healthy(self._places):
            back = self._now()
            self.windows.append(Window(Trouble.DOWN, since, back + _AFTER_DOWN))
            self._down_since = None
            self.slowest_return = max(self.slowest_return, back - max(since, self._free_since))
        elif self._full_since is None and now - max(since, self._free_since) > COMES_BACK_WITHIN:
            self.failures.append(f"{COMES_BACK_WITHIN:.0f} s after a kill no carrier had brought the server back")
            self.windows.append(Window(Trouble.DOWN, since, now))
            self._down_since = self._free_since = now

    def _free(self) -> None:
        if self._full_since is not None:
            self._place.free()
            self._free_since = self._now()
            self.windows.append(Window(Trouble.FULL, self._full_since, self._free_since + _AFTER_FULL))
            self._full_since = None
