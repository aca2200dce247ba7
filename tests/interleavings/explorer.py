"""Explores the interleavings of a scenario: breadth first up to a bound, or at random from a seed.

Running code cannot be copied, so every state is reached by running its trace again from the start; states that were
reached before are not gone on from.
"""

from __future__ import annotations

import gc
import random
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from .abstraction import fingerprint
from .actions import possible
from .traces import FINISH, Found, play, step
from .world import Pointless, World

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .scenarios import Scenario
    from .traces import Trace
    from .world import Action

_COLLECT_EVERY = 100
"""Runs between two collections of garbage: every run leaves tasks behind that nobody ends."""
_LIKELY = {"begin": 6, "job": 6, "arrive": 6, "tick": 2, "turn": 12, "read": 1, "late": 1, "crash": 0.05, "stop": 0.15}
_ELSE = 0.3
_END = (FINISH, ("crash", "0"))
"""How a random run ends: everything comes to rest, and the power fails."""


@dataclass(slots=True)
class _State:
    """A state: how many actions lead to it at least, a trace that did, and what may happen next.

    ``open`` are the actions not tried yet, ``next`` the states that the others lead to. The trace need not be the
    shortest: one put together of parts of others might lead elsewhere in what the fingerprint leaves out.
    """

    depth: int
    trace: Trace
    open: list[Action] = field(default_factory=list)
    next: list[_State] = field(default_factory=list)


@dataclass(slots=True)
class Exploration:
    """What was visited. ``depth`` is that up to which every interleaving was; ``found`` ends it."""

    scenario: Scenario
    seen: set[int] = field(default_factory=set)
    depth: int = 0
    steps: int = 0
    seconds: float = 0.0
    found: Found | None = None
    _runs: int = 0
    _known: dict[int, _State] = field(default_factory=dict)
    _levels: list[list[_State]] = field(default_factory=list)

    def __str__(self) -> str:
        rate = len(self.seen) / self.seconds if self.seconds else 0.0
        whole = f"every interleaving of {self.depth} actions, " if self.depth else ""
        return (
            f"{self.scenario.name}: {len(self.seen)} states, {whole}{self.steps} steps "
            f"in {self.seconds:.0f} s ({rate:.0f} states/s)"
        )

    def exhaust(self, *, depth: int, states: int = 1_000_000_000, seconds: float = 1e9) -> Found | None:
        """Every interleaving of ``depth`` actions, unless so many states or seconds are spent before.

        The least deep action that was not tried is next; what follows it is tried in the same run, down to ``depth``.
        """
        with self._timed() as began:
            self._levels = [[] for _ in range(depth)]
            start = self.scenario.world()
            self._meet(start, None, ())
            start.leave()
            for level, waiting in enumerate(self._levels):
                self.depth = level
                while waiting:
                    if waiting[-1].depth != level or not waiting[-1].open:
                        waiting.pop()
                        continue
                    if len(self.seen) >= states or perf_counter() - began > seconds:
                        return None
                    self._dive(waiting[-1])
                    if self.found is not None:
                        return self.found
            self.depth = depth
        return None

    def _dive(self, state: _State) -> None:
        """Tries an action that is open in ``state``, one that is open in the next state, and so on."""
        self._begin()
        trace = state.trace
        world = play(self.scenario, trace)
        assert isinstance(world, World), f"{trace} leads elsewhere the second time"
        while state.open and state.depth < len(self._levels):
            action = state.open.pop()
            trace = (*trace, action)
            if not self._try(world, trace):
                break
            state = self._meet(world, state, trace)
        world.leave()

    def _try(self, world: World, trace: Trace) -> bool:
        """Lets the last action of a trace happen; whether one can go on from there."""
        self.steps += 1
        try:
            sentence = step(world, trace[-1])
        except Pointless:
            return False
        if sentence:
            self.found = Found(self.scenario.name, trace, sentence)
        return not sentence

    def _meet(self, world: World, before: _State | None, trace: Trace) -> _State:
        """The state that the world is in, reached from another."""
        name = fingerprint(world)
        state = self._known.get(name)
        if state is None:
            self.seen.add(name)
            depth = 0 if before is None else before.depth + 1
            state = self._known[name] = _State(depth, trace, [*possible(world, self.scenario.bounds)][::-1])
            self._wait(state)
        if before is not None:
            before.next.append(state)
            self._shorten(before, state)
        return state

    def _wait(self, state: _State) -> None:
        """Puts a state where it is gone on from; the deepest are not, unless a shorter way to them turns up."""
        if state.depth < len(self._levels):
            self._levels[state.depth].append(state)

    def _shorten(self, before: _State, state: _State) -> None:
        """Takes note of a shorter way to a state, and to all that follow it."""
        shorter = [(before, state)]
        while shorter:
            before, state = shorter.pop()
            if before.depth + 1 < state.depth:
                state.depth = before.depth + 1
                self._wait(state)
                shorter += [(state, further) for further in state.next]

    def walk(
        self, *, seed: int, steps: int, runs: int = 1_000_000_000, states: int = 1_000_000_000, seconds: float = 1e9
    ) -> Found | None:
        """Random runs of ``steps`` actions, each ended by a rest and a power failure. The same for the same seed."""
        chance = random.Random(seed)
        with self._timed() as began:
            for _ in range(runs):
                if len(self.seen) >= states or perf_counter() - began > seconds:
                    break
                self._run(random.Random(chance.getrandbits(64)), steps)
                if self.found is not None:
                    return self.found
        return None

    def _run(self, chance: random.Random, steps: int) -> None:
        self._begin()
        world = self.scenario.world()
        trace: list[Action] = []
        for at in range(steps + len(_END)):
            actions = list(possible(world, self.scenario.bounds))
            trace.append(_chosen(actions, chance) if at < steps else _END[at - steps])
            if not self._try(world, tuple(trace)):
                break
            self.seen.add(fingerprint(world))
        world.leave()

    def _begin(self) -> None:
        self._runs += 1
        if self._runs % _COLLECT_EVERY == 0:
            gc.collect()

    @contextmanager
    def _timed(self) -> Iterator[float]:
        began = perf_counter()
        gc.collect()
        gc.freeze()
        gc.disable()
        try:
            yield began
        finally:
            gc.enable()
            gc.unfreeze()
            self.seconds += perf_counter() - began


def _chosen(actions: Sequence[Action], chance: random.Random) -> Action:
    """One of them: first what kind of action, so that many requests do not crowd out the rest."""
    kinds: dict[str, list[Action]] = {}
    for action in actions:
        kinds.setdefault(action[0], []).append(action)
    kind = chance.choices(list(kinds), [_LIKELY.get(name, _ELSE) for name in kinds])[0]
    return chance.choice(kinds[kind])
