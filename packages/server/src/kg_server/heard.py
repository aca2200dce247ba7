"""When the last event of each harness arrived: the proof that its hooks reach the server, which ``kg doctor`` tells."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.model import to_iso
from kg_server.carrier.regular import regular

if TYPE_CHECKING:
    from pathlib import Path

    from kg_core.model import Millis

_MOST: Final = 100
"""Harnesses that are remembered."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """The last event of a harness: its native name, and when it came."""

    native: str
    at: Millis


class Heard:
    """The last event of each harness, kept in a file over restarts. Losing the file loses nothing that matters."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._saved: dict[str, Arrival] = {}
        with contextlib.suppress(
            OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError
        ):
            with open(path, encoding="utf-8", opener=regular) as file:
                found = json.load(file)
            self._saved = {name: Arrival(str(of["native"]), int(of["at"])) for name, of in found.items()}
        self._last = dict(self._saved)

    def event(self, harness: str, native: str, now: Millis) -> None:
        """An event came that its plug-in understood."""
        if harness in self._last or len(self._last) < _MOST:
            self._last[harness] = Arrival(native, now)

    def told(self) -> dict[str, object]:
        """For ``/health``."""
        return {name: {"event": last.native, "at": to_iso(last.at)} for name, last in sorted(self._last.items())}

    def save(self) -> None:
        """Writes down what is new. Never raises."""
        if self._last == self._saved:
            return
        data = {name: {"native": last.native, "at": last.at} for name, last in self._last.items()}
        aside = self._path.with_suffix(".tmp")
        with contextlib.suppress(OSError):
            with open(aside, "w", encoding="utf-8", opener=regular) as file:
                file.write(json.dumps(data))
            aside.replace(self._path)
            self._saved = dict(self._last)
