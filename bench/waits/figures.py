"""What was waited, and what of it an event cost: the difference to sessions without hooks."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

BARE: Final = "without hooks"
"""The subject that others are compared with, unless they have a base of their own."""

TARGETS: Final[Mapping[str, float]] = {"MCP-tool hook": 6.0, "hook client": 30.0}
"""Milliseconds that an event of one of kg's carriers may cost, by the median."""

START: Final = "session start"


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds that one event added: at the median, and at the 95th percentile."""

    median: float
    p95: float

    @classmethod
    def of(cls, waited: Sequence[float], bare: Sequence[float]) -> Cost:
        """From seconds with and without hooks: the difference of each percentile, and never of single events."""
        return cls(
            (statistics.median(waited) - statistics.median(bare)) * 1_000,
            (_p95(waited) - _p95(bare)) * 1_000,
        )


@dataclass(slots=True)
class Waits:
    """Seconds that one client waited, by event and subject."""

    client: str
    carriers: Mapping[str, str]
    """How each subject's events are carried, by its title."""
    starts: Mapping[str, str]
    """The same for the start of a session, where that is carried otherwise."""
    bases: Mapping[str, str] = field(default_factory=dict)
    """What a subject is compared with, where that is another one than :data:`BARE`."""
    seconds: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def add(self, event: str, subject: str, waited: Iterable[float]) -> None:
        """Notes what events of a subject took."""
        self.seconds.setdefault(event, {}).setdefault(subject, []).extend(waited)

    def carrier(self, event: str, subject: str) -> str:
        """How an event of a subject is carried."""
        return (event == START and self.starts.get(subject)) or self.carriers[subject]

    def costs(self) -> Iterable[tuple[str, str, Cost, int]]:
        """Event, subject, cost and number of events, in the order in which they were measured."""
        for event, by_subject in self.seconds.items():
            for subject, waited in by_subject.items():
                if subject != BARE:
                    base = by_subject[self.bases.get(subject, BARE)]
                    yield event, subject, Cost.of(waited, base), len(waited)


def markdown(measured: Sequence[Waits]) -> str:
    """A line for each client, event and subject; the target where there is one, and whether it held."""
    lines = ["| client | event | by | carrier | events | median | p95 | target |"]
    lines.append("| --- | --- | --- | --- | --: | --: | --: | --- |")
    for waits in measured:
        for event, subject, cost, count in waits.costs():
            carrier = waits.carrier(event, subject)
            cells = (waits.client, event, subject, carrier, str(count), f"{cost.median:.1f} ms", f"{cost.p95:.1f} ms")
            lines.append(f"| {' | '.join(cells)} | {_judged(event, carrier, cost)} |")
    return "\n".join(lines)


def _judged(event: str, carrier: str, cost: Cost) -> str:
    target = TARGETS.get(carrier)
    if target is None or event == START:
        return "–"
    return f"≤ {target:.0f} ms{'' if cost.median <= target else ', missed'}"


def _p95(seconds: Sequence[float]) -> float:
    return sorted(seconds)[math.ceil(0.95 * len(seconds)) - 1]
