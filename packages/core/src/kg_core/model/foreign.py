"""JSON that others have written, some of them with numbers that JSON does not have."""

from __future__ import annotations

import json
import math
from typing import Any


def loads(text: str | bytes) -> Any:
    """The value of a JSON text; what is no finite number, such as ``NaN`` or ``1e999``, is kept as its text.

    So whatever was read can be written as JSON again. Raises ValueError, or RecursionError for what is nested too
    deeply.
    """
    return json.loads(text, parse_constant=str, parse_float=number)


def number(text: str) -> float | str:
    """The number that ``text`` is, if it is finite."""
    value = float(text)
    return value if math.isfinite(value) else text
