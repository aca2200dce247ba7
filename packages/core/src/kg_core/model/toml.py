"""TOML out of the files of others: read as ``tomllib`` reads it, but for what would keep it busy for hours."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

PARTS: Final = 100
"""Parts that a dotted key may have. Reading one takes time by their square, in one step that nobody can end."""
_PART: Final = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY: Final = re.compile(rf"(?<![^\s\[{{,])(?:{_PART}[ \t]*+\.[ \t]*+){{{PARTS}}}")


def read_toml(text: str) -> dict[str, Any]:
    """The tables of ``text``. Raises ValueError with what is wrong, RecursionError for what is nested without end."""
    long = _LONG_KEY.search(text)
    if long is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise ValueError(f"A key has more than {PARTS} parts (at line {line})")
    return tomllib.loads(text)
