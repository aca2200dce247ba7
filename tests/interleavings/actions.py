"""Which actions are possible in a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .disk import ALL, NOTHING
from .person import possible_edits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .clients import Client, Request
    from .person import Edit
    from .world import Action, World

_STEPS = ("1", "2", "1+", "1~", "1~+")
_STOPS = ("1", "1/", "2", "2/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What an exploration may do: requests of each client, and how much may go wrong."""

    requests: Mapping[str, Sequence[Request]]
    crashes: int = 1
    errors: int = 1
    edits: tuple[Edit, ...] = ()
    edited: int = 1
    """So many edits at most."""
    restarts: bool = True
    left: Sequence[int] = (NOTHING, ALL)
    """What crashes leave of unsynced bytes, see :mod:`.disk`."""
    steps: Sequence[str] = _STEPS
    stops: Sequence[str] = _STOPS
    timers: Sequence[str] = ("Upkeep.run", "Compaction.keep", "Service._keep_up", "other")


def possible(world: World, bounds: Bounds) -> Iterator[Action]:
    """Every action that the state and the bounds allow, in a fixed order."""
    if world.loop.ready:
        yield ("turn",)
    threads = world.threads()
    for name in threads:
        yield ("job", name)
    for client in world.clients.values():
        yield from _of(client, bounds.requests.get(client.name, ()))
    for name in world.timers():
        if name in bounds.timers:
            yield ("tick", name)
    if world.person.edits < bounds.edited:
        for edit in possible_edits(world, bounds.edits):
            yield ("edit", *edit)
    if world.service._deliveries._open:
        yield ("lapse",)
    if world.errors < bounds.errors:
        for name in threads:
            for step in bounds.steps:
                yield ("fail", name, step)
    if world.crashes < bounds.crashes:
        for left in bounds.left:
            yield ("crash", str(left))
            for name in threads:
                for step in bounds.stops:
                    yield ("stop", name, step, str(left))
    if bounds.restarts and not threads and not any(client.flights for client in world.clients.values()):
        yield ("restart",)


def _of(client: Client, requests: Sequence[Request]) -> Iterator[Action]:
    if client.transit is not None:
        yield ("arrive", client.name)
        yield ("read", client.name)
        yield ("lose", client.name)
        yield ("vanish", client.name)
    elif client.flight is not None:
        if not client.is_starting:  # a start that never reaches the server cannot be known to it
            yield ("cancel", client.name)
        yield ("abandon", client.name)
    else:
        for request in requests:
            if client.started or request == ("start", "startup"):
                yield ("begin", client.name, *request)
    if client.unacknowledged is not None:
        yield ("late", client.name)
