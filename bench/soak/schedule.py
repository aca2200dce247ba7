"""What goes wrong when: pure, from the length of a run and its seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

KILL_EVERY: Final = 20.0
"""Seconds between two kills of the server."""
FULL_FOR: Final = 6.0
"""Seconds for which the disk is full."""
_HOUR: Final = 3600.0


class What(Enum):
    """The kinds of trouble."""

    KILL = auto()
    """The server is killed."""
    FULL = auto()
    """The disk is full from now on."""
    FREE = auto()
    """There is room again."""
    CLOCK = auto()
    """The server's clock is set; ``value`` says how far off it is, in seconds."""
    PAYLOAD = auto()
    """Somebody sends 20 MB."""


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """One piece of trouble, ``at`` seconds after the beginning."""

    at: float
    what: What
    value: float = 0.0

    def __post_init__(self) -> None:
        if self.at < 0:
            raise ValueError("a step before the beginning")


def schedule(seconds: float, seed: int) -> tuple[Step, ...]:
    """The steps of a run, in order.

    The disk is full once while the server runs, and once while it is killed. The clock goes forward so far that every
    session is older than the server keeps one, then back before the beginning, and in the end is right again.
    """
    chance = random.Random(seed)
    kills = [KILL_EVERY * number for number in range(1, 1 + int((seconds - 5) // KILL_EVERY))]
    if len(kills) < 2:
        raise ValueError(f"a run takes {2 * KILL_EVERY + 5:.0f} seconds at the least")
    quiet = kills[len(kills) // 4] - KILL_EVERY + 8.0
    during_kill = kills[(3 * len(kills)) // 4] - FULL_FOR / 2
    steps = [Step(at, What.KILL) for at in kills]
    for begin in (quiet, during_kill):
        steps += [Step(begin, What.FULL), Step(begin + FULL_FOR, What.FREE)]
    steps += [
        Step(0.45 * seconds, What.CLOCK, chance.uniform(25, 40) * _HOUR),
        Step(0.55 * seconds, What.CLOCK, -chance.uniform(1, 48) * _HOUR),
        Step(0.75 * seconds, What.CLOCK, 0.0),
        Step(0.85 * seconds, What.PAYLOAD),
    ]
    return tuple(sorted(steps, key=lambda step: step.at))
