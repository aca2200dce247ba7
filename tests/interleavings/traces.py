"""Traces: played again, made short, and written down so that one command plays them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .actions import possible
from .promises import Violation
from .scheduler import NeverRests
from .world import Pointless, World

if TYPE_CHECKING:
    from .scenarios import Scenario
    from .world import Action

Trace = tuple["Action", ...]

FINISH = ("finish",)
"""Lets everything that is under way end well."""
_ALWAYS = (FINISH, ("crash", "0"))
"""What ends a random run, whatever its bounds."""


@dataclass(frozen=True, slots=True)
class Found:
    """A violation, and the actions that lead to it. ``fault`` names what was swapped in, if anything."""

    scenario: str
    trace: Trace
    sentence: str
    fault: str = ""

    def written(self) -> str:
        """The trace for ``python -m tests.interleavings.replay``."""
        return json.dumps(
            {"scenario": self.scenario, "fault": self.fault, "trace": [list(step) for step in self.trace]}
        )

    def __str__(self) -> str:
        steps = "\n".join(f"  {number}. {' '.join(action)}" for number, action in enumerate(self.trace, start=1))
        return f"{self.sentence}\n{steps}\nPlay it: python -m tests.interleavings.replay '{self.written()}'"


def step(world: World, action: Action) -> str:
    """Lets an action happen; the sentence of the violation, or nothing. Raises Pointless."""
    try:
        if action == FINISH:
            world.finish()
        else:
            world.perform(action)
    except (Violation, NeverRests) as violation:
        return str(violation)
    return ""


def play(scenario: Scenario, trace: Trace) -> World | Found | None:
    """The world after a trace, or the violation that ends it; ``None`` when something in it is pointless."""
    world = scenario.world()
    for number, action in enumerate(trace, start=1):
        try:
            sentence = step(world, action)
        except Pointless:
            world.leave()
            return None
        if sentence:
            world.leave()
            return Found(scenario.name, trace[:number], sentence)
    return world


def shortened(scenario: Scenario, found: Found) -> Found:
    """The same violation by a trace from which nothing can be left out."""
    length = max(1, len(found.trace) // 2)
    while length >= 1:
        at = 0
        while at < len(found.trace):
            shorter = _same(scenario, (*found.trace[:at], *found.trace[at + length :]), found.sentence)
            if shorter is None:
                at += length
            else:
                found = shorter
        length //= 2
    return found


def _same(scenario: Scenario, trace: Trace, sentence: str) -> Found | None:
    """The violation of a trace whose actions are all possible, if it is this one."""
    world = scenario.world()
    try:
        for number, action in enumerate(trace, start=1):
            if action not in _ALWAYS and action not in possible(world, scenario.bounds):
                return None
            violation = step(world, action)
            if violation:
                return Found(scenario.name, trace[:number], violation) if violation == sentence else None
    except Pointless:
        return None
    finally:
        world.leave()
    return None
