"""``kg PLUG-IN OPERATION``: what plug-ins add to the command line."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kg_core.host import Plugins
from kg_server.cli.options import patiently, print_json, with_home
from kg_server.cli.place import working_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.store import Home
    from kg_plugin_api import Argument, Operation

_GIVEN: Final = "given_"
"""What the parameters of an operation are called in here, whatever a plug-in calls them."""
_SECONDS: Final = 600.0
"""How long an operation may take: it may read a whole repository."""


def of_plugin(name: str) -> click.Group | None:
    """The operations of the plug-in of that name, as commands; None when it has none."""
    operations = Plugins.load().operations.get(name)
    if operations is None:
        return None
    of_all = click.Group(name, help=f"Operations of the plug-in {name}.")
    for operation in operations:
        *above, last = operation.name.split(" ")
        _group(of_all, above).add_command(_command(name, operation), last)
    return of_all


def _group(within: click.Group, words: Sequence[str]) -> click.Group:
    """The group of operations whose names begin with these words, made where it is not there yet."""
    for word in words:
        below = within.commands.get(word)
        if not isinstance(below, click.Group):
            below = click.Group(word, help=f"`{word}` and what it takes.")
            within.add_command(below)
        within = below
    return within


def _command(plugin: str, operation: Operation) -> click.Command:
    return click.Command(
        operation.name.rpartition(" ")[2],
        help=operation.help,
        callback=with_home(_asking(plugin, operation)),
        params=[
            *_options(operation.arguments),
            click.Option(["--json", "as_json"], is_flag=True, expose_value=False, help="Taken for granted."),
            click.Option(["--home", "folder"], metavar="FOLDER"),
        ],
    )


def _options(arguments: Sequence[Argument]) -> list[click.Parameter]:
    return [_parameter(argument, f"{_GIVEN}{place}") for place, argument in enumerate(arguments)]


def _parameter(argument: Argument, dest: str) -> click.Parameter:
    callback = _absolute if argument.path else None
    if argument.positional:
        metavar = argument.name.upper()
        return click.Argument([dest], required=argument.required, metavar=metavar, callback=callback)
    return click.Option(
        [f"--{argument.name}", dest],
        help=argument.help,
        is_flag=argument.flag,
        required=argument.required,
        callback=callback,
    )


def _absolute(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A path as the server can look it up, wherever it runs."""
    return None if value is None else os.path.normpath(working_folder() / Path(value).expanduser())


def _asking(plugin: str, operation: Operation) -> Callable[..., int]:
    """Prints the answer; one that says ``ok`` and means no ends with 1."""

    def ask(home: Home, **given: Any) -> int:
        from kg_server.client import Client

        path = f"/api/v1/plugins/{plugin}/{operation.name.replace(' ', '/')}"
        named = {f"{_GIVEN}{place}": argument.name for place, argument in enumerate(operation.arguments)}
        values = {named[dest]: value for dest, value in given.items() if value is not None}
        with Client(home) as client:
            if operation.changes:
                asking = partial(client.post, path, values, within=_SECONDS)
            else:
                asking = partial(
                    client.get, path, {name: str(value) for name, value in values.items()}, within=_SECONDS
                )
            answer = patiently(f"kg {plugin} {operation.name}", asking)
        print_json(answer)
        return 0 if answer.get("ok", True) else 1

    return ask
