"""``kg plugins``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.options import as_json, print_json, with_home

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("plugins")
@as_json
@with_home
def command(home: Home, *, as_json: bool) -> int:
    """List the plug-ins and what they offer. Exit code 1 when one of them is broken."""
    from kg_server.http.health import described
    from kg_server.installed import plugins_of

    plugins = plugins_of(home)
    if as_json:
        print_json(described(plugins))
        return 1 if plugins.problems else 0
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
    for problem in plugins.problems:
        click.echo(f"BROKEN {problem.name} ({problem.distribution}): {problem.reason}", err=True)
    return 1 if plugins.problems else 0
