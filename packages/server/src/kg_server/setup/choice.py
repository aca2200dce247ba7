"""Which harnesses a set-up is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_plugin_api import Code, KgError
from kg_server.setup.installed import FIRST_PARTY, add_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.host import Plugins
    from kg_plugin_api import Harness
    from kg_server.setup.machine import Machine


@dataclass(frozen=True, slots=True)
class Choice:
    """The harnesses to connect, and the agents that are here but have no plug-in."""

    harnesses: tuple[Harness, ...]
    missing: tuple[str, ...]


def chosen(plugins: Plugins, machine: Machine, named: Sequence[str]) -> Choice:
    """The harnesses that were named, else those whose agent is found here.

    Raises NOT_FOUND when a named one has no plug-in, with the line that adds it when it is one of ours.
    """
    if named:
        return Choice(tuple(_named(plugins, name) for name in dict.fromkeys(named)), ())
    here = tuple(harness for harness in plugins.harnesses if machine.has(harness))
    known = {harness.name for harness in plugins.harnesses}
    path = machine.environ.get("PATH", "")
    missing = (name for name, program in FIRST_PARTY.items() if name not in known and machine.program((program,), path))
    return Choice(here, tuple(missing))


def _named(plugins: Plugins, name: str) -> Harness:
    found = plugins.harness(name)
    if found is not None:
        return found
    broken = next((problem for problem in plugins.problems if problem.name == name), None)
    if broken is not None:
        raise KgError(Code.UNAVAILABLE, f"The plug-in for {name} does not work. {broken.reason}")
    have = ", ".join(harness.name for harness in plugins.harnesses) or "none"
    advice = f"Add it with: {add_line(name)}" if name in FIRST_PARTY else "Is the name misspelt?"
    raise KgError(Code.NOT_FOUND, f"There is no plug-in for {name!r} (installed: {have}). {advice}")
