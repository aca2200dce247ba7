"""JSON for carriers, read and quoted by the part of the standard library that is compiled.

Its ``json`` compiles regular expressions while it is imported, which takes longer than all else that a hook client does
(``docs/decisions/mcp-tool-hooks-and-the-hook-client.md``). Where that part is missing, ``json`` itself is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SPACE = " \t\n\r"


class _Standard:
    """How values are read: as ``json`` reads them when it is told nothing else."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _reader() -> Callable[[str], Any]:
    try:
        from _json import make_scanner
    except ImportError:
        from json import loads as read

        return read
    standard: Any = _Standard()
    scan: Any = make_scanner(standard)

    def read_whole(text: str) -> Any:
        text = text.strip(_SPACE)
        try:
            value, end = scan(text, 0)
        except (StopIteration, SystemError):  # what it would raise else is defined in json, which is not imported
            raise ValueError("there is no value") from None
        if end != len(text):
            raise ValueError("something follows the value")
        return value

    return read_whole


def _quoter() -> Callable[[str], str]:
    try:
        from _json import encode_basestring_ascii as quote
    except ImportError:
        from json import dumps

        return dumps
    return quote


_read = _reader()
quoted = _quoter()
"""A text as JSON, in ASCII."""


def loads(text: str | bytes | bytearray) -> Any:
    """The value that UTF-8 text holds. Raises ValueError, and RecursionError for what is nested too deeply."""
    return _read(text if isinstance(text, str) else text.decode("utf-8"))
