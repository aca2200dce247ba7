"""How deeply a JSON value is nested: what is kept must be safe to encode, whatever called for it."""

from __future__ import annotations

from typing import Final

NESTING: Final = 100
"""Levels of lists and objects in one another that are kept. Encoders recurse, and a stack holds a few hundred."""


def is_too_deep(value: object, most: int = NESTING) -> bool:
    """Whether lists and objects are nested in one another more than ``most`` times."""
    level = [value]
    for _ in range(most):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return False
    return any(isinstance(value, dict | list) for value in level)


def _inner(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
