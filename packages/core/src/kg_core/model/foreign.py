"""JSON that others have written, some of them with numbers that JSON does not have."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from kg_core.model.nesting import is_too_deep

TEXT: Final = "text"
"""The key under which a text that is no JSON object is kept where one is needed."""


def loads(text: str | bytes) -> Any:
    """The value of a JSON text; what is no finite number, such as ``NaN`` or ``1e999``, is kept as its text.

    So whatever was read can be written as JSON again. Raises ValueError, or RecursionError for what is nested too
    deeply.
    """
    return json.loads(text, parse_constant=str, parse_float=number)


def as_object(text: str) -> dict[str, Any]:
    """The object that ``text`` is the JSON of; what is none, or nested beyond what is kept so, stays a text in one."""
    try:
        decoded = loads(text)
    except (ValueError, RecursionError):
        decoded = None
    return decoded if isinstance(decoded, dict) and not is_too_deep(decoded) else {TEXT: text}


def number(text: str) -> float | str:
    """The number that ``text`` is, if it is finite."""
    value = float(text)
    return value if math.isfinite(value) else text
