"""Which harnesses a set-up is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_plugin_api import Code, KgError
from kg_server.setup.connection import Records
from kg_server.setup.installed import FIRST_PARTY, add_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.host import Plugins
    from kg_plugin_api import Harness
    from kg_server.setup.machine import Machine


@dataclass(frozen=True, slots=True)
class Choice:
    """The harnesses to connect, and the agents that are here but have no plug-in.

    ``cut_off`` are those that were connected, by another installation say, and that ours does not serve.
    """

    harnesses: tuple[Harness, ...]
    missing: tuple[str, ...]
    cut_off: tuple[str, ...] = ()


def chosen(plugins: Plugins, machine: Machine, named: Sequence[str]) -> Choice:
    """The harnesses that were named, else those whose agent is found here.

    Raises NOT_FOUND when a named one has no plug-in, with the line that adds it when it is one of ours.
    """
    apart = cut_off(plugins, machine)
    if named:
        return Choice(tuple(_named(plugins, name) for name in dict.fromkeys(named)), (), apart)
    here = tuple(harness for harness in plugins.harnesses if machine.has(harness))
    known = {harness.name for harness in plugins.harnesses}
    path = machine.environ.get("PATH", "")
    known |= set(apart)
    missing = (name for name, program in FIRST_PARTY.items() if name not in known and machine.program((program,), path))
    return Choice(here, tuple(missing), apart)


def cut_off(plugins: Plugins, machine: Machine) -> tuple[str, ...]:
    """The agents that are connected to this memory and whose plug-in is not here, unless the settings switch it off.

    A server that this installation starts does not understand them. None where nobody may look what is connected.
    """
    known = {*(harness.name for harness in plugins.harnesses), *machine.settings.plugins.disabled}
    try:
        return tuple(name for name in Records.at(machine.memory).connected() if name not in known)
    except KgError:
        return ()


def how_to_serve(name: str) -> str:
    """What to do about an agent that is cut off."""
    remedy = f"Add it with `{add_line(name)}`" if name in FIRST_PARTY else "Install it here"
    return f"{remedy}, or take the agent off with `kg uninstall --harness {name}`."


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
