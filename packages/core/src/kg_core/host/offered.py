"""What a plug-in offers: values of the kind that is asked for, under names that can be used, with fields that hold what
they promise."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeVar

from kg_core.host.discovery import Unusable
from kg_core.host.shapes import flaw
from kg_plugin_api import Harness, Operation, SearchBackendFactory

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Offered = TypeVar("Offered")

_NAME: Final = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
"""Names of harnesses, search backends and arguments, which name files, parts of paths and options."""
_WORDS: Final = re.compile(rf"{_NAME.pattern}(?: {_NAME.pattern})*")
"""Names of operations: one or more words."""
_OWN: Final[Mapping[type, re.Pattern[str]]] = {
    Harness: re.compile(r"mcp|search-backend|systemd|team-.*"),
    SearchBackendFactory: re.compile(r"builtin"),
}
"""What kg itself calls so: any other client, the built-in index, and its own records beside those of the harnesses."""
_OPTIONS: Final = frozenset({"help", "home", "json"})
"""The options that every operation has."""


def offered(given: object, hook: str, kind: type[Offered]) -> tuple[Offered, ...]:
    """What an implementation of ``hook`` gave. Raises Unusable, with what is wrong, where kg cannot use it."""
    if inspect.iscoroutine(given):
        given.close()
        raise Unusable(f"Its {hook} is async, and no hook is.")
    if not isinstance(given, Iterable):
        raise Unusable(f"Its {hook} gave a {type(given).__name__} instead of a list of what it offers.")
    values: dict[str, Offered] = {}
    for value in given:
        if not isinstance(value, kind):
            raise Unusable(f"Its {hook} offers a {type(value).__name__} instead of a {kind.__name__}.")
        name = getattr(value, "name", None)
        if not isinstance(name, str) or not (_WORDS if kind is Operation else _NAME).fullmatch(name):
            raise Unusable(f"Its {hook} offers a name that is none: {name!r}.")
        if kind in _OWN and _OWN[kind].fullmatch(name):
            raise Unusable(f"Its {hook} offers {name}, as kg calls something of its own. Choose another name.")
        if name in values:
            raise Unusable(f"Its {hook} offers {name} twice. Give each a name of its own.")
        if wrong := flaw(value):
            raise Unusable(f"Its {hook} offers {name}, whose {wrong}.")
        values[name] = value
    for value in values.values():
        if isinstance(value, Operation):
            _check_command(value, values)
    return tuple(values.values())


def _check_command(operation: Operation, names: Collection[str]) -> None:
    """Raises Unusable where the command line could not tell two things apart."""
    if below := next((name for name in names if name.startswith(f"{operation.name} ")), ""):
        raise Unusable(f"Its kg_operations offers {operation.name} and, below it, {below}. Rename one of them.")
    seen: set[str] = set()
    for argument in operation.arguments:
        if not _NAME.fullmatch(argument.name):
            raise Unusable(f"Its operation {operation.name} has an argument whose name is none: {argument.name!r}.")
        if argument.name in seen or (argument.name in _OPTIONS and not argument.positional):
            raise Unusable(f"Its operation {operation.name} has the argument {argument.name} beside one of that name.")
        seen.add(argument.name)
