"""Whether a value of a plug-in holds what its fields promise.

Python lets any field hold anything, and plug-ins come without a type checker having seen them. A wrong field would fail
far from whoever wrote it, in a command or an event of somebody else.
"""

from __future__ import annotations

import builtins
import collections.abc
import functools
import pathlib
import sys
import types
import typing
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final

import kg_plugin_api

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAMES: Final[dict[str, object]] = {
    **{name: getattr(collections.abc, name) for name in ("Awaitable", "Callable", "Mapping", "Sequence")},
    **{name: getattr(kg_plugin_api, name) for name in kg_plugin_api.__all__ if name != "Path"},
    "FilePath": pathlib.Path,
}
"""What the fields' annotations name that their modules import for a type checker only."""
_PATH: Final[dict[str, object]] = {"Path": pathlib.Path}
"""The same where ``Path`` is no kind of text."""


def flaw(value: object) -> str:
    """What is wrong with the first field of ``value`` that does not hold what it promises, as ``limits is a NoneType
    instead of tuple[PathLimit, ...]``; nothing when all do, or when it is no value of the plug-in API.

    A list passes for a tuple, and anything for a truth. Of what has methods only their presence is looked at.
    """
    return next(_flaws(value, ""), "")


def misfit(value: object, kind: Any) -> str:
    """What is wrong with a value that is to be of ``kind``, a type of the plug-in API or several of them, as a sentence
    without its end; nothing when it is one and without a :func:`flaw`.
    """
    if not _fits(value, kind):
        return f"a {type(value).__name__} is no {getattr(kind, '__name__', 'claim')}"
    wrong = flaw(value)
    return wrong and f"in a {type(value).__name__}, {wrong}"


def _flaws(value: object, where: str) -> Iterator[str]:
    kind = type(value)
    if not is_dataclass(kind):
        return
    hints = _hints(kind)
    for each in fields(kind):
        yield from _misfits(getattr(value, each.name, None), hints[each.name], f"{where}{each.name}", str(each.type))


def _misfits(held: object, hint: Any, where: str, promised: str) -> Iterator[str]:
    if typing.get_origin(hint) is tuple and isinstance(held, tuple | list):
        part, *_ = typing.get_args(hint)
        for place, each in enumerate(held):
            yield from _misfits(each, part, f"{where}[{place}]", getattr(part, "__name__", str(part)))
    elif not _fits(held, hint):
        yield f"{where} is a {type(held).__name__} instead of {promised}"
    else:
        yield from _flaws(held, f"{where}.")


@functools.cache
def _hints(kind: type) -> Mapping[str, Any]:
    names = _NAMES if hasattr(sys.modules[kind.__module__], "Path") else {**_NAMES, **_PATH}
    return typing.get_type_hints(kind, localns=names)


def _fits(value: object, hint: Any) -> bool:
    """Whether ``value`` is what ``hint`` says. What is not known here forbids nothing."""
    if hint is object or hint is bool:
        return True
    inner = typing.get_args(hint)
    match typing.get_origin(hint):
        case None:
            return _is_one(value, hint)
        case types.UnionType | typing.Union:
            return any(_fits(value, each) for each in inner)
        case collections.abc.Mapping:
            return isinstance(value, collections.abc.Mapping) and all(
                _fits(key, inner[0]) and _fits(held, inner[1]) for key, held in value.items()
            )
        case collections.abc.Callable:
            return callable(value)
        case builtins.tuple:
            return isinstance(value, tuple | list) and all(_fits(each, inner[0]) for each in value)
        case _:
            return True


def _is_one(value: object, kind: Any) -> bool:
    if getattr(kind, "_is_protocol", False):
        methods = (name for name, held in vars(kind).items() if callable(held) and not name.startswith("_"))
        return all(callable(getattr(value, name, None)) for name in methods)
    return isinstance(value, (int, float) if kind is float else kind)
