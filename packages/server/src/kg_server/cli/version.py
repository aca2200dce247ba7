"""``kg version``"""

from __future__ import annotations

import click

from kg_server.carrier.version import VERSION


@click.command("version")
def command() -> None:
    """Show the version of kg."""
    click.echo(f"kg {VERSION}")
