"""Values and keys as TOML text, always on one line. Pure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


def key_text(keys: Sequence[str]) -> str:
    """A dotted key, quoted where it must be."""
    return ".".join(key if _BARE_KEY.fullmatch(key) else _string(key) for key in keys)


def value_text(value: object) -> str:
    """A value; mappings become inline tables. Raises TypeError for what TOML cannot say, such as None."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case int():
            return str(value)
        case float():
            return repr(value)
        case list():
            return "[" + ", ".join(map(value_text, value)) + "]"
        case dict():
            members = ", ".join(f"{key_text((key,))} = {value_text(item)}" for key, item in value.items())
            return f"{{ {members} }}" if members else "{}"
        case _:
            raise TypeError(f"TOML has no {type(value).__name__}")


def table_text(keys: Sequence[str], values: Mapping[str, object], newline: str) -> str:
    """A table with its header, each line ended."""
    lines = [f"[{key_text(keys)}]", *(f"{key_text((key,))} = {value_text(value)}" for key, value in values.items())]
    return "".join(line + newline for line in lines)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
