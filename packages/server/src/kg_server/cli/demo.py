"""``kg demo``"""

from __future__ import annotations

import textwrap

import click


@click.command("demo")
def command() -> None:
    """Let two scripted agents share a temporary memory, and print what each of them would see.

    Everything goes the way it goes with real agents: hooks, the MCP shim, a server. Nothing of it stays.
    """
    from kg_server.demo.script import play

    play(_say)
    click.echo("That was a temporary memory; it is gone. `kg setup` connects your agents to a lasting one.")


def _say(heading: str, seen: str) -> None:
    click.secho(heading, bold=True)
    click.echo(textwrap.indent(seen.rstrip() or "(nothing)", "  | ") + "\n")
