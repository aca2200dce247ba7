"""What ``kg doctor`` looks at, as a list of findings."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from kg_core.claims import ClaimState
from kg_core.store import ProblemKind, Settings
from kg_plugin_api import KgError, StepState
from kg_server.carrier.places import Places, age
from kg_server.carrier.version import VERSION
from kg_server.setup.connection import Connection, Records
from kg_server.setup.installed import lasting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kg_core.host import Plugins
    from kg_plugin_api import Harness
    from kg_server.setup.machine import Machine

_VERSION_SECONDS = 10


class Level(StrEnum):
    """How a finding is meant."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing; nothing is broken."""
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: its area, how it is meant, and a sentence that says what to do if need be."""

    area: str
    level: Level
    sentence: str


def findings(machine: Machine, plugins: Plugins, health: dict[str, Any] | None) -> Iterator[Finding]:
    """Everything worth saying; only reads. ``health`` is what the server says of itself, None when it is silent."""
    yield from _place(machine)
    yield from _server(machine, health)
    for problem in plugins.problems:
        yield Finding("plug-in", Level.PROBLEM, f"{problem.name} ({problem.distribution}): {problem.reason}")
    for harness in plugins.harnesses:
        yield from _harness(machine, harness)


def _place(machine: Machine) -> Iterator[Finding]:
    home = machine.memory
    yield Finding("memory", Level.OK, f"The memory is {home.root}.")
    for name in home.unknown:
        yield Finding("memory", Level.NOTE, f"The environment variable {name} means nothing to kg; is it misspelt?")
    if home.root.exists() and not os.access(home.root, os.W_OK):
        yield Finding("memory", Level.PROBLEM, f"{home.root} cannot be written; nothing can be saved.")
    if not lasting():
        yield Finding(
            "memory", Level.PROBLEM, "This kg runs from a cache that may vanish. Install it with pip, uv tool or pipx."
        )
    try:
        Settings.load(home)
    except KgError as failure:
        yield Finding("settings", Level.PROBLEM, failure.sentence)


def _server(machine: Machine, health: dict[str, Any] | None) -> Iterator[Finding]:
    places = Places(str(machine.memory.root))
    if health is None:
        if os.path.exists(places.stopped):  # noqa: PTH110 - a name that the carriers gave
            yield Finding(
                "server", Level.NOTE, "The server is stopped; `kg start` or the next session of an agent starts it."
            )
        else:
            yield Finding("server", Level.PROBLEM, "The server does not answer. Try `kg start`; `kg logs` may say why.")
        since = age(places.outage, time.time())
        if since is not None:
            yield Finding("server", Level.NOTE, f"An agent asked it in vain {since:.0f} s ago.")
        return
    yield Finding("server", Level.OK, f"kg {health['version']} answers (process {health['pid']}).")
    if health["version"] != VERSION:
        yield Finding("server", Level.PROBLEM, f"This command is kg {VERSION}. `kg restart` makes them one.")
    for problem in health["problems"]:
        level = Level.NOTE if problem["kind"] == ProblemKind.ODD else Level.PROBLEM
        yield Finding("storage", level, problem["sentence"])


def _harness(machine: Machine, harness: Harness) -> Iterator[Finding]:
    area, site = harness.name, machine.site(harness)
    if not machine.has(harness):
        yield Finding(area, Level.NOTE, f"{harness.title} was not found on this machine.")
        return
    yield from _version(harness, area, site.binary)
    connection = Connection(harness, site, Records.at(machine.memory))
    try:
        standing = connection.standing()
    except KgError as failure:
        yield Finding(area, Level.PROBLEM, failure.sentence)
        return
    amiss = [status for status in standing if status.state is not ClaimState.PRESENT]
    if standing and len(amiss) == len(standing):
        yield Finding(area, Level.NOTE, f"{harness.title} is not connected: `kg setup --harness {harness.name}`.")
        return
    for status in amiss:
        sentence = f"{status.sentence} `kg setup --harness {harness.name}` puts it right."
        yield Finding(area, Level.PROBLEM, f"{status.claim.path}: {sentence}")
    if not amiss:
        yield Finding(area, Level.OK, f"{harness.title} is connected ({len(standing)} places).")
    for step in connection.steps():
        state = connection.state(step)
        level = {StepState.DONE: Level.OK, StepState.OPEN: Level.PROBLEM, StepState.UNKNOWN: Level.NOTE}[state.state]
        advice = "" if state.state is StepState.DONE else f" {step.explanation}"
        yield Finding(area, level, f"{step.title}: {state.sentence or state.state}{advice}")


def _version(harness: Harness, area: str, binary: Path | None) -> Iterator[Finding]:
    """The client's version beside those that the plug-in was tested with."""
    if binary is None:
        yield Finding(area, Level.NOTE, f"{harness.title} has settings here, but its program was not found.")
        return
    try:
        done = subprocess.run(
            [binary, *harness.recognition.version_arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_VERSION_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        yield Finding(area, Level.NOTE, f"{binary} does not say its version ({type(failure).__name__}).")
        return
    said = " ".join(done.stdout.split()) or "nothing"
    tested = harness.recognition.tested_versions
    if tested and not any(version in said for version in tested):
        yield Finding(area, Level.NOTE, f"{harness.title} says {said}; kg was tested with {', '.join(tested)}.")
    else:
        yield Finding(area, Level.OK, f"{harness.title}: {said}.")
