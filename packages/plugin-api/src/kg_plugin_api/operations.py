"""Operations that a plug-in adds to the command line and to the HTTP interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument: a name, what it is for, whether it must be given, whether it is an on/off flag.

    A ``positional`` one is given without its name, in the order of the arguments. A ``path`` names a file or folder,
    which the command line makes absolute.
    """

    name: str
    help: str
    required: bool = False
    flag: bool = False
    positional: bool = False
    path: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """``kg {plug-in} {name}``, served under ``/api/v1/plugins/{plug-in}/{name}``; the result is JSON-compatible.

    A name of several words (``docs add``) has slashes between them in its address (``docs/add``).
    """

    name: str
    help: str
    arguments: tuple[Argument, ...]
    run: Callable[[Mapping[str, object]], Awaitable[Mapping[str, object]]]
    changes: bool = True
