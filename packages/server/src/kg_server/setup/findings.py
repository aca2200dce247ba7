"""What ``kg doctor`` looks at, as a list of findings."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

from kg_core.store import ProblemKind, Settings
from kg_plugin_api import KgError
from kg_server.carrier.places import Places, age
from kg_server.carrier.version import VERSION, newer
from kg_server.client import Client
from kg_server.counting import counted
from kg_server.lifecycle.control import outdated
from kg_server.searching import LACK
from kg_server.setup.agents import agent
from kg_server.setup.choice import cut_off, how_to_serve
from kg_server.setup.connection import Records
from kg_server.setup.finding import Finding, Level
from kg_server.setup.installed import lasting
from kg_server.setup.service import SERVICE
from kg_server.setup.stored import level, stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kg_core.host import Plugins
    from kg_core.store import Home
    from kg_server.setup.machine import Machine


def findings(machine: Machine, plugins: Plugins, health: dict[str, Any] | None, cwd: str) -> Iterator[Finding]:
    """Everything worth saying; only reads. ``health`` is what the server says of itself, None when it is silent.

    ``cwd`` is the folder in which a person asks.
    """
    yield from _place(machine)
    yield from stored(machine, cwd, {problem.get("path", "") for problem in (health or {}).get("problems", ())})
    recorded: set[str] | None = None
    try:
        recorded = set(Records.at(machine.memory).all())
    except KgError as failure:
        yield Finding("storage", Level.PROBLEM, failure.sentence)
    yield from _server(machine, health, is_set_up=recorded is None or bool(recorded))
    yield from _plugins(plugins, health)
    for harness in plugins.harnesses:
        yield from agent(machine, harness, health)
    for name in cut_off(plugins, machine):
        sentence = f"{name} is connected, but its plug-in is not here: a server of this kg tells it nothing."
        yield Finding(name, Level.PROBLEM, f"{sentence} {how_to_serve(name)}")
    if SERVICE.name in (recorded or ()):
        yield from agent(machine, SERVICE, health)


def _plugins(plugins: Plugins, health: dict[str, Any] | None) -> Iterator[Finding]:
    """What is wrong with plug-ins: those that this command loads, and those that the server has."""
    here = [(problem.name, problem.distribution, problem.reason) for problem in plugins.problems]
    served = health["plugins"]["problems"] if health is not None else []
    there = [(problem["name"], problem["distribution"], problem["reason"]) for problem in served]
    for name, distribution, reason in dict.fromkeys([*here, *there]):
        yield Finding("plug-in", Level.PROBLEM, f"{name} ({distribution or 'unknown origin'}): {reason}")
    for theirs, ours in outdated(health, plugins) if health is not None else ():
        yield Finding("plug-in", Level.PROBLEM, f"The server has {theirs}, this command {ours}.", "kg restart")


def _place(machine: Machine) -> Iterator[Finding]:
    home = machine.memory
    yield Finding("memory", Level.OK, f"The memory is {home.root}.")
    for name in home.unknown:
        yield Finding("memory", Level.NOTE, f"The environment variable {name} means nothing to kg; is it misspelt?")
    shut = _shut(home)
    if shut is not None:
        yield Finding("memory", Level.PROBLEM, f"{shut} cannot be written; nothing can be saved.")
    if not lasting():
        yield Finding(
            "memory", Level.PROBLEM, "This kg runs from a cache that may vanish. Install it with pip, uv tool or pipx."
        )
    try:
        Settings.load(home)
    except KgError as failure:
        yield Finding("settings", Level.PROBLEM, failure.sentence)


def _shut(home: Home) -> Path | None:
    """A folder of the home in which nothing can be written."""
    folders = (home.root, home.state)
    return next((folder for folder in folders if folder.exists() and not os.access(folder, os.W_OK)), None)


def _server(machine: Machine, health: dict[str, Any] | None, *, is_set_up: bool) -> Iterator[Finding]:
    places = Places(str(machine.memory.root))
    if health is None:
        with Client(machine.memory) as client:
            silence = client.silence()
        if silence:
            yield Finding("server", Level.PROBLEM, silence)
        elif _shut(machine.memory) is not None:
            yield Finding("server", Level.PROBLEM, "No server runs, and none can be started until that is mended.")
        elif os.path.exists(places.stopped):  # noqa: PTH110 - a name that the carriers gave
            yield Finding(
                "server", Level.NOTE, "The server is stopped; `kg start` or the next session of an agent starts it."
            )
        elif not is_set_up and not os.path.exists(machine.memory.lock):  # noqa: PTH110 - also where nobody may look
            yield Finding("server", Level.PROBLEM, "Nothing is set up here yet.", "kg setup")
        else:
            sentence = "The server does not answer. `kg logs` may say why."
            yield Finding("server", Level.PROBLEM, sentence, "kg start")
        since = age(places.outage, time.time())
        if since is not None:
            yield Finding("server", Level.NOTE, f"An agent asked it in vain {since:.0f} s ago.")
        return
    yield Finding("server", Level.OK, f"kg {health['version']} answers (process {health['pid']}).")
    if newer(health["version"], VERSION) and health.get("executable") == sys.executable:
        sentence = f"This is kg {VERSION} again, and the server still the newer one that was here before."
        yield Finding("server", Level.PROBLEM, sentence, "kg restart")
    elif newer(health["version"], VERSION):
        sentence = f"This command is kg {VERSION}, of an older installation than the server's."
        yield Finding("server", Level.NOTE, sentence)
    elif health["version"] != VERSION:
        yield Finding("server", Level.PROBLEM, f"This command is kg {VERSION}, the server another.", "kg restart")
    for problem in health["problems"]:
        area = "search" if problem["kind"] == ProblemKind.SEARCH else "storage"
        yield Finding(area, level(problem["kind"]), problem["sentence"])
    search = health.get("search", {})
    if "state" in search and "outage" not in search:
        behind = f", {counted(search['behind'], 'lesson')} behind" if search["behind"] else ""
        yield Finding("search", Level.OK, f"{search['backend']} is {search['state']}{behind}.")
        if lack := search.get("said", {}).get(LACK):
            yield Finding("search", Level.NOTE, f"{search['backend']} answers without a part of it: {lack}")
