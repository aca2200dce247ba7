"""Which errors are announced: what users are told they may read, and when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Trouble(Enum):
    """What may be going on."""

    DOWN = auto()
    """The server was killed and does not answer yet."""
    FULL = auto()
    """The disk is full, or was a moment ago."""
    CLOCK = auto()
    """The clock was set."""


@dataclass(frozen=True, slots=True)
class Window:
    """From ``begin`` to ``end``, in seconds of the run, something was wrong."""

    trouble: Trouble
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error that somebody was told, and the time from the request to its answer."""

    who: str
    what: str
    sentence: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Announced:
    """An error that may be: its sentence, and during what; during nothing in particular when ``during`` is empty."""

    name: str
    pattern: re.Pattern[str]
    during: tuple[Trouble, ...] = ()


def _announced(name: str, pattern: str, *during: Trouble) -> Announced:
    return Announced(name, re.compile(pattern, re.DOTALL), during)


ANNOUNCED: Final = (
    _announced("a guard shows the node as it stands", r"NOT WRITTEN: this session has not seen the node as it"),
    _announced("a guard names what was not read", r"NOT WRITTEN: the write replaces notes that this session has not"),
    _announced("a session has used up its votes", r"Skipped '.+': a session marks at most \d+ nodes\."),
    _announced("a case that a session added was its vote", r"Skipped '.+': this session has marked it already\."),
    _announced("an event was not answered in time", r"kg: the memory server does not answer, so memory is off for now"),
    _announced("a call was cut off", r"The memory server did not answer this call; it may have", Trouble.DOWN),
    _announced("a call that reads was cut off", r"The memory server did not answer\. Go on without it", Trouble.DOWN),
    _announced(
        "no server could be started",
        r"The memory server is not running and could not be started\.",
        Trouble.DOWN,
        Trouble.FULL,
    ),
    _announced("a write met a full disk", r"Not saved: (the disk is full|writing .+ failed)", Trouble.FULL),
    _announced("a write met a full disk again and again", r"Not saved: the disk refuses writes", Trouble.FULL),
    _announced("the store was opened on a full disk", r"Not saved: the store is read-only", Trouble.FULL),
    _announced("an editor could not save", r"No space left on device", Trouble.FULL),
    _announced("a session grew old by the clock", r"The session_id '.+' is not known", Trouble.CLOCK, Trouble.FULL),
)


def name_of(complaint: Complaint, windows: Iterable[Window]) -> str:
    """Under which name the error was announced; empty for one that should not have been."""
    going_on = {w.trouble for w in windows if w.begin <= complaint.end and complaint.begin <= w.end}
    for announced in ANNOUNCED:
        if announced.pattern.match(complaint.sentence):
            return announced.name if not announced.during or going_on & {*announced.during} else ""
    return ""


def unannounced(complaints: Iterable[Complaint], windows: Sequence[Window]) -> list[Complaint]:
    """The errors that nobody announced."""
    return [complaint for complaint in complaints if not name_of(complaint, windows)]


def counted(complaints: Iterable[Complaint], windows: Sequence[Window]) -> dict[str, int]:
    """How often each announced error was told, by name."""
    names = [name_of(complaint, windows) for complaint in complaints]
    return {announced.name: names.count(announced.name) for announced in ANNOUNCED if announced.name in names}
