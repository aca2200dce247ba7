"""One machine with a server on it and clients around it, moved one action at a time."""

from __future__ import annotations

import errno
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_core.host import Plugins
from kg_core.store import Home, Settings
from kg_server.service import Service

from .clients import HARNESSES, Client, Flight, Reply
from .disk import ALL, NOTHING, found_again
from .person import Person
from .promises import compacted
from .scheduler import Loop
from .seams import Machine, Seams
from .witness import Violation, Witness

if TYPE_CHECKING:
    from asyncio import TimerHandle
    from collections.abc import Mapping

    from .scheduler import Thread

HOME = Home(Path("/kg"))
EPOCH = 1_800_000_000_000
LAPSE = 61_000
"""Milliseconds after which no reply is waited for."""
PLUGINS = Plugins.of(harnesses=HARNESSES.values())

Action = tuple[str, ...]
"""A verb and its words; see :mod:`.actions` for all of them."""


class Pointless(Exception):
    """What was to go wrong did not come to pass: the step is another one by another name."""


@dataclass(frozen=True, slots=True)
class Image:
    """A machine at rest with nothing on its way: where an exploration starts."""

    disk: Any
    clients: tuple[Client, ...]
    names: int
    wall: int
    now: float


@dataclass(slots=True)
class World:
    """The machine. ``crashes`` and ``errors`` count what went wrong so far; ``fine`` worlds stop after each turn."""

    machine: Machine
    clients: Mapping[str, Client]
    fine: bool = False
    loop: Loop = field(default_factory=Loop)
    witness: Witness = field(default_factory=Witness)
    person: Person = field(default_factory=Person)
    wall: int = EPOCH
    crashes: int = 0
    errors: int = 0
    service: Service = field(init=False)

    @classmethod
    def of(cls, image: Image, *, fine: bool = False) -> World:
        """A world that goes on from an image."""
        machine = Machine()
        machine.disk, machine.names = found_again(image.disk, ALL), image.names
        world = cls(machine, {client.name: client.copy() for client in image.clients}, fine, wall=image.wall)
        world.loop.now = image.now
        world._open()
        world.witness.start(world)
        return world

    @classmethod
    def empty(cls, folders: Mapping[str, str], agents: Mapping[str, str]) -> World:
        """A world whose memory is empty; ``folders`` are where each client works, if anywhere, and ``agents`` what it
        is a session of.
        """
        world = cls(Machine(), {name: Client(name, cwd, agents[name]) for name, cwd in folders.items()})
        world._open()
        world.witness.start(world)
        return world

    def image(self) -> Image:
        """This world after the server has been stopped; it cannot be used any more."""
        Seams.machine = self.machine
        self.loop.complete(self.loop.start(self.service.close()))
        clients = tuple(client.copy() for client in self.clients.values())
        return Image(found_again(self.machine.disk, ALL), clients, self.machine.names, self.wall, self.loop.now)

    def leave(self) -> None:
        """Nobody looks at this world any more."""
        self.loop.abandon()

    def clock(self) -> int:
        """The time of day, which nobody is given twice."""
        self.wall += 1
        return self.wall

    @property
    def store(self) -> Any:
        """The store of the running server."""
        return self.service._memory.store

    def timers(self) -> dict[str, TimerHandle]:
        """The next timer of each task that sleeps, by the name of its coroutine."""
        tasks: list[Any] = list(self.loop.tasks)
        sleepers = {task._fut_waiter: task.get_coro().__qualname__ for task in tasks}
        found: dict[str, TimerHandle] = {}
        timers: list[Any] = self.loop.timers
        for timer in timers:
            name = sleepers.get(timer._args[0], "other")
            if name not in found or timer.when() < found[name].when():
                found[name] = timer
        return found

    def threads(self) -> dict[str, Thread]:
        """The threads that have something to do."""
        return {thread.name: thread for thread in self.loop.threads if thread.jobs}

    # What may happen

    def perform(self, action: Action) -> None:
        """Lets it happen, and looks whether all that must hold still holds. Raises Violation."""
        Seams.machine = self.machine
        verb, *words = action
        getattr(self, f"_{verb}")(*words)
        if not self.fine:
            self.loop.rest()
        self.witness.follow(self)
        if not self.store._commits._waiting:
            for client in self.clients.values():
                client.lingering.clear()
        self.witness.look(self)
        self._collect()

    def finish(self) -> None:
        """Lets everything that is under way end well. Raises Violation when something does not end."""
        if "Service._keep_up" in self.timers():
            self.perform(("tick", "Service._keep_up"))
        is_looked_at = not self.person.edits
        for _ in range(1_000):
            for name in list(self.threads()):
                self.perform(("job", name))
            if self.fine and self.loop.ready:
                self.perform(("turn",))
            if self.threads() or self.loop.ready:
                continue
            timers = self.timers()
            if any(client.flights for client in self.clients.values()):
                self.perform(("tick", "other" if "other" in timers else next(iter(timers))))
            elif "Compaction.keep" in timers:
                self.perform(("tick", "Compaction.keep"))
            elif not is_looked_at and "Upkeep.run" in timers:
                self.perform(("tick", "Upkeep.run"))
                is_looked_at = True
            else:
                if not self.errors and not self.crashes:
                    compacted(self)
                self.person.arrived(self)
                return
        raise Violation("a request is never answered, or compaction never ends")

    def _begin(self, name: str, *request: str) -> None:
        client = self.clients[name]
        if request[0] == "start":
            client.started = True
            self.wall += 2_000  # a start told twice within that time is one start
        knew = frozenset(client.knows)
        if request[0] == "start" and request[1] != "resume":
            client.forget(for_good=request[1] == "clear")
        task = self.loop.start(client.ask(self.service, request))
        client.flights.append(Flight(request, task, knew))

    def _turn(self) -> None:
        self.loop.turn()

    def _job(self, name: str) -> None:
        self.loop.finish(self.threads()[name])

    def _fail(self, name: str, step: str) -> None:
        """The job's operation of this number, counted from 1, fails; with ``+``, so does the one after it.

        With ``~`` it is an append that leaves half of its bytes.
        """
        disk = self.machine.disk
        first = disk.count + int(step.rstrip("~+"))
        disk.short = "~" in step
        disk.faults = dict.fromkeys(range(first, first + (2 if step.endswith("+") else 1)), errno.EIO)
        self.errors += 1
        self.loop.finish(self.threads()[name])
        disk.faults = {}
        if disk.count < first or (disk.short and not disk.steps[first - 1].startswith("append")):
            raise Pointless

    def _stop(self, name: str, step: str, left: str) -> None:
        """The machine stops at the job's operation of this number, or in its midst when that is marked by ``/``."""
        disk = self.machine.disk
        disk.crash_at = disk.count + int(step.rstrip("/"))
        disk.half = step.endswith("/")
        self.loop.finish(self.threads()[name])
        if not disk.is_gone:
            raise Pointless
        self._crash(left)

    def _edit(self, *edit: str) -> None:
        """A person saves a graph file."""
        self.person.edit(self, edit)

    def _crash(self, left: str) -> None:
        self.crashes += 1
        self.witness.crashing(self)
        self.machine.disk = found_again(self.machine.disk, int(left))
        for client in self.clients.values():
            if client.is_starting:  # the server does not know of it, and it starts anew
                client.started = False
                client.wrote |= client.stated
            client.flights.clear()
            client.transit = None
            if int(left) != ALL:  # the power failed, and the client's session went with it
                client.unacknowledged = None
                client.started = False
                client.forget(for_good=False)
                client.wrote |= client.stated  # an older log of contexts may know it by an earlier name
        self._abandon_loop()
        self._open()
        self.witness.restarted(self)

    def _restart(self) -> None:
        self.loop.complete(self.loop.start(self.service.close()))
        self.witness.follow(self)
        self.witness.look(self)
        self.machine.disk = found_again(self.machine.disk, ALL)
        for client in self.clients.values():
            client.flights = []
        self._abandon_loop()
        self._open()
        self.witness.restarted(self)

    def _tick(self, name: str) -> None:
        timer = self.timers()[name]
        self.wall += max(0, round((timer.when() - self.loop.now) * 1_000))
        self.loop.fire(timer)

    def _lapse(self) -> None:
        """So much time passes that a reply which did not arrive will not be waited for any longer."""
        self.wall += LAPSE

    def _cancel(self, name: str) -> None:
        """The client goes away, and the server ends the request."""
        flight = self.clients[name].flight
        assert flight is not None
        flight.task.cancel()
        flight.abandoned = True
        self.clients[name].lingering |= flight.knew

    def _abandon(self, name: str) -> None:
        """The client goes on without the answer; the server does not know that."""
        flight = self.clients[name].flight
        assert flight is not None
        flight.abandoned = True

    def _arrive(self, name: str) -> None:
        """The reply is put before the model, and the carrier says so."""
        client = self.clients[name]
        reply = client.transit
        assert reply is not None
        client.transit = None
        self._heard(client, reply)
        self._acknowledged(client, reply)

    def _read(self, name: str) -> None:
        """The reply is put before the model, and the carrier has not said so yet."""
        client = self.clients[name]
        reply = client.transit
        assert reply is not None
        client.transit, client.unacknowledged = None, reply
        self._heard(client, reply)

    def _late(self, name: str) -> None:
        """The carrier says that a reply has arrived, some time after it did."""
        client = self.clients[name]
        reply = client.unacknowledged
        assert reply is not None
        client.unacknowledged = None
        self._acknowledged(client, reply)

    def _lose(self, name: str) -> None:
        """The client gave up before; the carrier says so."""
        client = self.clients[name]
        reply = client.transit
        assert reply is not None
        client.transit = None
        if reply.delivery:
            self.service.acknowledge(reply.delivery, arrived=False)

    def _vanish(self, name: str) -> None:
        """The client gave up before, and nobody says so."""
        self.clients[name].transit = None

    # Inside

    def _heard(self, client: Client, reply: Reply) -> None:
        client.heard |= self.witness.facts(reply)

    def _acknowledged(self, client: Client, reply: Reply) -> None:
        settled = bool(reply.delivery) and self.service.acknowledge(reply.delivery, arrived=True)
        if settled and not reply.is_gone:
            self.witness.delivered(client, reply)

    def _open(self) -> None:
        Seams.machine = self.machine
        opening = Service.open(HOME, clock=self.clock, plugins=PLUGINS, settings=Settings(), version="1")
        self.service = self.loop.complete(self.loop.start(opening))
        self.loop.rest()

    def _abandon_loop(self) -> None:
        """A machine that stopped does nothing any more, not even tidy up."""
        self.loop.abandon()
        now, failures = self.loop.now, self.loop.failures
        self.loop = Loop()
        self.loop.now, self.loop.failures = now, failures

    def _collect(self) -> None:
        """Replies that are ready set out; those that nobody waits for get lost."""
        for client in self.clients.values():
            for flight in [flight for flight in client.flights if flight.task.done()]:
                client.flights.remove(flight)
                if flight.task.cancelled():
                    continue
                if (error := flight.task.exception()) is not None:
                    raise Violation(f"{' '.join(flight.request)} ends with {error!r}")
                result = flight.task.result()
                text = result.output if hasattr(result, "output") else result.text
                reply = Reply(flight.request, text, result.delivery, getattr(result, "is_error", False))
                self.witness.replied(self, client, flight, reply)
                if text and not flight.abandoned:
                    client.transit = reply


__all__ = ["ALL", "NOTHING", "Action", "Image", "Pointless", "World"]
