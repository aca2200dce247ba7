"""How the files look: sorted, two-space indent, one field per line, real Unicode, a line break at the end."""

from __future__ import annotations

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FORMAT: Final = 1
"""The version of the graph files that is written; a file with a higher one is opened for reading only."""

STEP: Final = "  "


def member(name: str, value: object, depth: int) -> bytes:
    """A member of an object, as it stands at ``depth`` levels, without what separates it from its neighbours."""
    pad = STEP * depth
    return _bytes(lambda quote: f"{pad}{quote(name)}: {_pretty(value, pad, quote)}")


def item(value: object, depth: int) -> bytes:
    """An item of a list, as it stands at ``depth`` levels."""
    pad = STEP * depth
    return _bytes(lambda quote: pad + _pretty(value, pad, quote))


def compact(value: object) -> bytes:
    """The value on one line."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def _bytes(render: Callable[[Callable[[str], str]], str]) -> bytes:
    """The text in UTF-8. One with half a surrogate pair cannot be; it is written with escapes, and reads the same."""
    try:
        return render(encode_basestring).encode("utf-8")
    except UnicodeEncodeError:
        return render(encode_basestring_ascii).encode("ascii")


def _pretty(value: object, pad: str, quote: Callable[[str], str]) -> str:
    if isinstance(value, str):
        return quote(value)
    inner = pad + STEP
    if isinstance(value, dict):
        if not value:
            return "{}"
        return "{\n" + ",\n".join(_members(value, inner, quote)) + f"\n{pad}}}"
    if isinstance(value, list | tuple):
        if not value:
            return "[]"
        return "[\n" + ",\n".join(inner + _pretty(each, inner, quote) for each in value) + f"\n{pad}]"
    return json.dumps(value)


def _members(value: Mapping[object, object], pad: str, quote: Callable[[str], str]) -> list[str]:
    return [f"{pad}{quote(str(name))}: {_pretty(each, pad, quote)}" for name, each in value.items()]
