"""``kg plugins``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kg_plugin_api import KgError
from kg_server.cli.options import as_json, print_json, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("plugins")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> int:
    """List the plug-ins and what they offer. Exit code 1 when one of them is broken, here or in the running server."""
    from kg_server.http.health import described
    from kg_server.installed import plugins_of

    plugins = plugins_of(home)
    told: dict[str, Any] = described(plugins)
    told["problems"] += [problem for problem in _served(home) if problem not in told["problems"]]
    if as_json:
        print_json(told)
        return 1 if told["problems"] else 0
    for loaded in plugins.loaded:
        click.echo(f"{loaded.name}  ({loaded.distribution})")
    for harness in plugins.harnesses:
        click.echo(f"  harness {harness.name}: {harness.title}, {harness.maturity}")
    for factory in plugins.search_backends:
        click.echo(f"  search backend {factory.name}: {factory.title}")
    for name, operations in plugins.operations.items():
        for operation in operations:
            click.echo(f"  kg {name} {operation.name}: {operation.help}")
    if not plugins.loaded:
        click.echo("No plug-in is installed. `kg setup` says how to add one.")
    for problem in told["problems"]:
        click.echo(f"BROKEN {problem['name']} ({problem['distribution']}): {problem['reason']}", err=True)
    return 1 if told["problems"] else 0


def _served(home: Home) -> list[dict[str, str]]:
    """What is wrong with the plug-ins of the running server: some fail only when they are used."""
    from kg_server.client import Client

    with Client(home) as client:
        try:
            found: list[dict[str, str]] = client.get("/api/v1/plugins", within=2.0)["problems"]
        except KgError:
            return []
    return found
