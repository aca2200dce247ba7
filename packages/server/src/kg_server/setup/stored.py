"""What ``kg doctor`` finds in the files of the memory, whether or not a server has them open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.store import OsFiles, Places, Projects, Settings, now_ms
from kg_core.store.problems import Problems
from kg_plugin_api import KgError
from kg_server.setup.finding import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_server.setup.machine import Machine


def stored(machine: Machine, cwd: str) -> Iterator[Finding]:
    """The findings; only reads. ``cwd`` is the folder in which a person asks."""
    home = machine.memory
    try:
        match_remotes = Settings.load(home).projects.match_remotes
    except KgError:
        match_remotes = False  # what is wrong with the settings is a finding of its own
    places = Places.from_environ(machine.environ)
    projects = Projects(home, OsFiles(), places, now_ms, match_remotes=match_remotes)
    projects.load(Problems())
    if note := projects.left_behind(cwd):
        yield Finding("memory", Level.NOTE, note)
