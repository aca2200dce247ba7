"""``kg PLUG-IN OPERATION``: what plug-ins add to the command line."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kg_core.host import Plugins
from kg_server.cli.group import Listing
from kg_server.cli.options import as_json, patiently, print_json, with_home
from kg_server.cli.place import working_folder
from kg_server.cli.readable import readable

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
    of_all = Listing(name, help=f"What the plug-in {name} adds. The server does it, so it must run.")
    for operation in operations:
        *above, last = operation.name.split(" ")
        _group(of_all, above).add_command(_command(name, operation), last)
    return of_all


def _group(within: Listing, words: Sequence[str]) -> Listing:
    """The group of operations whose names begin with these words, made where it is not there yet."""
    for word in words:
        below = within.commands.get(word)
        if not isinstance(below, Listing):
            below = Listing(word, help="What the plug-in adds under this name.")
            within.add_command(below)
        within = below
    return within


def _command(plugin: str, operation: Operation) -> click.Command:
    named = [f"{argument.name.upper()}: {argument.help}" for argument in operation.arguments if argument.positional]
    made: click.Command = click.command(
        operation.name.rpartition(" ")[2],
        help="\n\n".join([operation.help, *named]),
        params=[_parameter(argument, f"{_GIVEN}{place}") for place, argument in enumerate(operation.arguments)],
    )(as_json(with_home(_asking(plugin, operation))))
    return made


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

    def ask(home: Home, *, as_json: bool, **given: Any) -> int:
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
        if as_json:
            print_json(answer)
        else:
            click.echo(readable(answer))
        return 0 if answer.get("ok", True) else 1

    return ask
