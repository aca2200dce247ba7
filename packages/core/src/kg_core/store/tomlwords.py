"""What is wrong with a value in a file that a person writes in TOML, in the words of TOML, not of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_WANTED: Final = {
    "bool_type": "true or false",
    "dict_type": "a table",
    "list_type": 'a list, such as ["a", "b"]',
    "model_type": "a table, whose keys stand below its name in [ ]",
    "string_type": "a text in quotes",
    "tuple_type": 'a list, such as ["a", "b"]',
}


def wrong(problem: Mapping[str, Any]) -> str:
    """One problem of a validation, without the key that it is about."""
    wanted = _WANTED.get(str(problem["type"]))
    return f"it must be {wanted}" if wanted is not None else str(problem["msg"]).removeprefix("Value error, ")
