"""The real store, service and compaction under every interleaving up to a bound, then under random ones.

Each test prints how many states it visited, and how deep it went. A violation prints a short trace and the command that
plays it again.
"""

from __future__ import annotations

import contextlib
import random

import pytest

from .abstraction import fingerprint
from .actions import possible
from .explorer import Exploration
from .scenarios import EDITED, EVERYTHING, FINE, PAIRED, READERS, SMALL, WAITING, Scenario
from .traces import Found, play, shortened, step
from .world import Pointless, World

QUICK = {"small": 4, "readers": 3, "paired": 5, "edited": 3, "waiting": 3}
"""Actions up to which the quick tests explore every interleaving."""
DEEP = {"small": 5, "readers": 4, "paired": 6, "edited": 5, "waiting": 5}
"""The same for the nightly ones."""
WALKED = 12_000
"""States of the quick random runs, and …"""
WALKED_AT_NIGHT = {"everything": 400_000, "fine": 620_000}
"""… of the nightly ones."""


def checked(exploration: Exploration, found: Found | None) -> None:
    print(f"\n{exploration}")
    if found is not None:
        pytest.fail(str(shortened(exploration.scenario, found)), pytrace=False)


def exhausted(scenario: Scenario, depth: int) -> Exploration:
    exploration = Exploration(scenario)
    checked(exploration, exploration.exhaust(depth=depth))
    assert exploration.depth == depth
    return exploration


def walked(scenario: Scenario, states: int, seed: int = 1) -> Exploration:
    exploration = Exploration(scenario)
    checked(exploration, exploration.walk(seed=seed, steps=60, states=states))
    assert len(exploration.seen) >= states
    return exploration


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [SMALL, READERS, PAIRED, EDITED, WAITING], ids=lambda scenario: scenario.name)
def test_no_interleaving_of_few_actions_breaks_a_promise(scenario: Scenario) -> None:
    exhausted(scenario, QUICK[scenario.name])


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [EVERYTHING, FINE], ids=lambda scenario: scenario.name)
def test_ten_thousand_states_break_no_promise(scenario: Scenario) -> None:
    walked(scenario, WALKED)


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", [SMALL, READERS, PAIRED, EDITED, WAITING], ids=lambda scenario: scenario.name)
def test_no_interleaving_of_more_actions_breaks_a_promise(scenario: Scenario) -> None:
    exhausted(scenario, DEEP[scenario.name])


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", [EVERYTHING, FINE], ids=lambda scenario: scenario.name)
def test_a_million_states_break_no_promise(scenario: Scenario) -> None:
    walked(scenario, WALKED_AT_NIGHT[scenario.name], seed=2)


def test_a_state_is_the_same_whether_or_not_those_before_it_were_looked_at() -> None:
    for seed in range(40):
        chance, world, trace = random.Random(seed), WAITING.world(), []
        for _ in range(30):
            trace.append(chance.choice(list(possible(world, WAITING.bounds))))
            with contextlib.suppress(Pointless):
                assert step(world, trace[-1]) == ""
                fingerprint(world)
                continue
            break
        else:
            played = play(WAITING, tuple(trace))
            assert isinstance(played, World)
            assert fingerprint(played) == fingerprint(world), trace
            played.leave()
        world.leave()


def test_the_same_seed_visits_the_same_states() -> None:
    first, second = (Exploration(EVERYTHING) for _ in range(2))
    for exploration in (first, second):
        checked(exploration, exploration.walk(seed=3, steps=40, runs=20))
    assert first.seen == second.seen
    assert len(first.seen) > 100
