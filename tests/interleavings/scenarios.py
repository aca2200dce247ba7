"""Where explorations start and how far they go."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from kg_core.policy.compaction import Budget

from .actions import Bounds
from .clients import HARNESS, QUEUED
from .seams import TIGHT, Seams
from .world import Image, World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .clients import Request
    from .world import Action

ANN, BEN = "ann", "ben"
ALPHA, BETA, GAMMA, DELTA = "alpha", "beta", "gamma", "delta"
OMEGA = "omega"
"""In each of two projects."""

LINKED = Budget(most=96, fill=95, fresh=30, archived=30)
"""The fresh one of three nodes fits it with one other and two edges between that and the third."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A name, what happened before, and bounds. ``fine`` ones stop after each turn of the loop.

    ``folders`` are where the two clients work, and ``agents`` the harnesses that they are sessions of.
    """

    name: str
    before: Sequence[tuple[str, Request]] = ()
    bounds: Bounds
    budget: Budget = field(default=TIGHT)
    fine: bool = False
    folders: tuple[str, str] = ("", "")
    agents: tuple[str, str] = (HARNESS.name, HARNESS.name)

    def world(self) -> World:
        """A world in which it begins."""
        Seams.budget = self.budget
        return World.of(_image(self.before, self.budget, self.folders, self.agents), fine=self.fine)


@cache
def _image(
    before: tuple[tuple[str, Request], ...], budget: Budget, folders: tuple[str, str], agents: tuple[str, str]
) -> Image:
    del budget  # it is in force
    names = (ANN, BEN)
    world = World.empty(dict(zip(names, folders, strict=True)), dict(zip(names, agents, strict=True)))
    for client, request in before:
        _whole(world, client, request)
    world.finish()
    return world.image()


def _whole(world: World, client: str, request: Request) -> None:
    """A request from its beginning to the arrival of its answer."""
    actions: list[Action] = [("begin", client, *request)]
    while actions:
        world.perform(actions.pop())
        if world.clients[client].transit is not None:
            actions.append(("arrive", client))
        elif threads := world.threads():
            actions.append(("job", next(iter(threads))))


_STARTED = ((ANN, ("start", "startup")), (BEN, ("start", "startup")))
_THREE = (
    *_STARTED,
    (ANN, ("put", ALPHA, "1")),
    (ANN, ("put", BETA, "1")),
    (BEN, ("note", GAMMA, "1")),
)

SMALL = Scenario(
    name="small",
    before=_THREE,
    bounds=Bounds(
        requests={
            ANN: (("put", ALPHA, "2"), ("rename", ALPHA, DELTA), ("sync",), ("start", "compact")),
            BEN: (("put", ALPHA, "3"), ("delete", ALPHA), ("useful", BETA), ("prompt", "what of beta")),
        },
        steps=("1",),
        stops=("2", "2/"),
        timers=("Upkeep.run", "Compaction.keep"),
    ),
)
"""Two contexts, three nodes, one crash, one I/O error."""

READERS = Scenario(
    name="readers",
    before=_THREE,
    bounds=Bounds(
        requests={
            ANN: (("read", GAMMA), ("more",), ("note", GAMMA, "2"), ("useful", BETA)),
            BEN: (("put", BETA, "3"), ("search", "says"), ("all",), ("start", "resume")),
        },
        steps=("1",),
        stops=("2", "2/"),
        timers=("Upkeep.run", "Compaction.keep"),
    ),
)
"""The same with replies in parts."""

PAIRED = Scenario(
    name="paired",
    before=(
        *_THREE,
        (ANN, ("link", ALPHA, BETA)),
        (ANN, ("link", BETA, ALPHA)),
        (BEN, ("useful", ALPHA)),
        (BEN, ("read", BETA)),
    ),
    bounds=Bounds(
        requests={ANN: (("link", ALPHA, BETA), ("useful", ALPHA)), BEN: (("unlink", ALPHA, BETA), ("put", GAMMA, "2"))},
        crashes=0,
        errors=0,
        timers=("Compaction.keep",),
    ),
    budget=LINKED,
)
"""Two linked nodes of which one is in sight, and each has something to be said for it."""


EDITED = Scenario(
    name="edited",
    before=_THREE,
    bounds=Bounds(
        requests={ANN: (("put", ALPHA, "2"), ("sync",)), BEN: (("delete", BETA),)},
        edits=(("user", "write", ALPHA), ("user", "remove", BETA), ("user", "tear")),
        errors=0,
        restarts=False,
        left=(0,),
        stops=("2/",),
        timers=("Upkeep.run",),
    ),
)
"""A person edits the file of what is served."""

WAITING = Scenario(
    name="waiting",
    before=_THREE,
    bounds=Bounds(
        requests={
            ANN: (("read", GAMMA), ("prompt", "what of beta"), ("all",), ("start", "compact")),
            BEN: (("note", GAMMA, "2"), ("put", ALPHA, "3")),
        },
        errors=0,
        stops=("2/",),
        timers=("Service._keep_up",),
    ),
    agents=(QUEUED.name, HARNESS.name),
)
"""One of the agents takes long texts in packets, which outlive the server."""


def _everything(version: str, name: str) -> tuple[Request, ...]:
    return (
        *(("start", source) for source in ("startup", "compact", "resume", "clear")),
        ("prompt", f"{name} asks about alpha and beta"),
        *(("put", node, version) for node in (ALPHA, BETA, GAMMA)),
        ("note", GAMMA, version),
        ("delete", ALPHA),
        ("rename", ALPHA, DELTA),
        ("rename", DELTA, ALPHA),
        ("link", ALPHA, BETA),
        ("link", BETA, ALPHA),
        ("unlink", ALPHA, BETA),
        ("useful", ALPHA),
        ("useful", BETA),
        ("read", GAMMA),
        ("read", ALPHA),
        ("more",),
        ("all",),
        ("search", "says"),
        ("sync",),
        ("own", OMEGA, version),
        ("link", OMEGA, ALPHA),
        ("unlink", OMEGA, ALPHA),
        ("read", OMEGA),
        ("useful", OMEGA),
    )


_EDITS = (
    ("user", "write", ALPHA),
    ("user", "remove", BETA),
    ("user", "tear"),
    ("project:shop", "write", OMEGA),
    ("project:shop", "remove", OMEGA),
)
_APART = ("/home/someone/shop", "/home/someone/till")

EVERYTHING = Scenario(
    name="everything",
    bounds=Bounds(
        requests={ANN: _everything("1", ANN), BEN: _everything("2", BEN)},
        crashes=2,
        errors=3,
        left=(0, 1, 2, 3, 4),
        edits=_EDITS,
        edited=4,
    ),
    folders=_APART,
)
"""All requests on an empty memory, in two projects, with a person who edits files; for random runs."""

FINE = Scenario(name="fine", before=_THREE, bounds=EVERYTHING.bounds, budget=LINKED, fine=True, folders=_APART)
"""The same between any two turns of the loop."""

SCENARIOS = {scenario.name: scenario for scenario in (SMALL, READERS, PAIRED, EDITED, WAITING, EVERYTHING, FINE)}
