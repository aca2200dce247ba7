"""``kg demo``"""

from __future__ import annotations

import contextlib
import signal
import sys
import textwrap
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDING: Final = ("SIGTERM", "SIGHUP")
"""What ends a command from outside; an interrupt unwinds it by itself."""


@click.command("demo")
def command() -> None:
    """Let two scripted agents share a temporary memory, and print what each of them would see.

    Everything goes the way it goes with real agents: hooks, the MCP shim, a server. Nothing of it stays.
    """
    from kg_server.demo.script import play

    with _unwinding():
        play(_say)
    click.echo("That was a temporary memory; it is gone. `kg setup` connects your agents to a lasting one.")


@contextlib.contextmanager
def _unwinding() -> Iterator[None]:
    """Whoever ends the command by a signal ends the server that it has started too, and removes its folder."""
    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda got, _: sys.exit(128 + got)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(heading: str, seen: str) -> None:
    click.echo(heading)
    click.echo(textwrap.indent(seen.rstrip() or "(nothing)", "  | ") + "\n")
