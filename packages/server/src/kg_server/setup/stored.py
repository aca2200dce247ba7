"""What ``kg doctor`` finds in the files of the memory, whether or not a server has them open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from kg_core.store import OsFiles, Places, ProblemKind, Projects, Settings, now_ms
from kg_core.store.failures import read_failure
from kg_core.store.problems import Problems
from kg_core.store.survey import survey
from kg_plugin_api import KgError
from kg_server.keeping.apart import copy_apart
from kg_server.setup.finding import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kg_core.store import Home, Problem
    from kg_server.setup.machine import Machine

_WORTH_KNOWING: Final = frozenset({ProblemKind.BEYOND, ProblemKind.DORMANT})
_NOTES: Final = _WORTH_KNOWING | {ProblemKind.ODD, ProblemKind.CIRCLE}


def stored(machine: Machine, cwd: str, known: Collection[str]) -> Iterator[Finding]:
    """The findings; only reads. ``cwd`` is the folder in which a person asks.

    Of the files that the server has open it tells itself what is wrong: ``known`` are those that it has told of. What
    is only worth knowing is looked for here alone.
    """
    home = machine.memory
    try:
        note, registered = _left_behind(machine, cwd)
        problems = [*registered, *asyncio.run(_surveyed(home))]
    except OSError as error:
        yield Finding("storage", Level.PROBLEM, read_failure(error, home.projects).sentence)
        return
    for each in filter(None, (note, copy_apart(home, Places.from_environ(machine.environ), cwd))):
        yield Finding("memory", Level.NOTE, each)
    for problem in problems:
        if problem.path not in known or problem.kind in _WORTH_KNOWING:
            yield Finding("storage", level(problem.kind), problem.sentence)


def level(kind: str) -> Level:
    """How a problem of the storage is meant."""
    return Level.NOTE if kind in _NOTES else Level.PROBLEM


def _left_behind(machine: Machine, cwd: str) -> tuple[str, tuple[Problem, ...]]:
    """What to do about a memory whose folder is gone, and what is wrong with the registrations of projects."""
    home = machine.memory
    try:
        match_remotes = Settings.load(home).projects.match_remotes
    except KgError:
        match_remotes = False  # what is wrong with the settings is a finding of its own
    places = Places.from_environ(machine.environ)
    projects = Projects(home, OsFiles(), places, now_ms, match_remotes=match_remotes)
    problems = Problems()
    projects.load(problems)
    return projects.left_behind(cwd), problems.all()


async def _surveyed(home: Home) -> list[Problem]:
    return [problem async for problem in survey(home, OsFiles())]
