"""How the commands get at the control of the server, and how they tell what it says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kg_server.cli.options import Waiting, print_json
from kg_server.cli.terminal import in_line
from kg_server.lifecycle.control import Control

if TYPE_CHECKING:
    from kg_core.store import Home
    from kg_server.lifecycle.control import Started


def control(home: Home, what: str) -> Control:
    """The control of the server at ``home``; ``what`` is said when it takes more than a second."""
    from kg_core.host import Plugins
    from kg_server.setup.machine import Machine

    plugins = Plugins.load(disabled=Machine.this(home).settings.plugins.disabled)
    prefixes = {prefix for harness in plugins.harnesses for prefix in harness.environment_to_strip}
    return Control(home, strip=tuple(sorted(prefixes)), waiting=Waiting(what))


def described(home: Home, health: dict[str, Any]) -> str:
    """One line about a server that answers."""
    return f"kg {health['version']} serves {in_line(home.root)} (process {health['pid']})."


def tell_started(home: Home, started: Started, done: str, *, as_json: bool) -> None:
    """Prints ``done``, what was done so that a server answers, and which one does; with ``as_json`` for a program."""
    if as_json:
        print_json(
            {
                "running": True,
                "started": started.fresh,
                "replaced": started.replaced,
                "home": str(home.root),
                "health": started.health,
            }
        )
    else:
        click.echo(f"{done} {described(home, started.health)}")
