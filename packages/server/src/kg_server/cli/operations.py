"""``kg PLUG-IN OPERATION``: what plug-ins add to the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kg_core.host import Plugins
from kg_server.cli.options import print_json, with_home

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.store import Home
    from kg_plugin_api import Argument, Operation


def of_plugin(name: str) -> click.Group | None:
    """The operations of the plug-in of that name, as commands; None when it has none."""
    operations = Plugins.load().operations.get(name)
    if operations is None:
        return None
    return click.Group(
        name,
        help=f"Operations of the plug-in {name}.",
        commands=[_command(name, operation) for operation in operations],
    )


def _command(plugin: str, operation: Operation) -> click.Command:
    return click.Command(
        operation.name,
        help=operation.help,
        callback=with_home(_asking(plugin, operation)),
        params=[
            *_options(operation.arguments),
            click.Option(["--json", "as_json"], is_flag=True, expose_value=False, help="Taken for granted."),
            click.Option(["--home", "folder"], metavar="FOLDER"),
        ],
    )


def _options(arguments: Sequence[Argument]) -> list[click.Parameter]:
    return [
        click.Option(
            [f"--{argument.name}", argument.name], help=argument.help, is_flag=argument.flag, required=argument.required
        )
        for argument in arguments
    ]


def _asking(plugin: str, operation: Operation) -> Callable[..., int]:
    """Prints the answer; one that says ``ok`` and means no ends with 1."""

    def ask(home: Home, **given: Any) -> int:
        from kg_server.client import Client

        path = f"/api/v1/plugins/{plugin}/{operation.name}"
        values = {name: value for name, value in given.items() if value is not None}
        with Client(home) as client:
            if operation.changes:
                answer = client.post(path, values)
            else:
                answer = client.get(path, {name: str(value) for name, value in values.items()})
        print_json(answer)
        return 0 if answer.get("ok", True) else 1

    return ask
