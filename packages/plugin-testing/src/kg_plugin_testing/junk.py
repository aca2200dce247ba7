"""What no client should send: JSON of any shape, and payloads with damage."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

_LEAF: Final = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
JUNK: Final = st.recursive(
    _LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
"""Any JSON value, and some numbers that JSON has not."""
OBJECT: Final = st.dictionaries(st.text(max_size=12), JUNK, max_size=5)
"""Any JSON object."""


def spoilt(payload: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """The payload without each of its fields, then with junk in it."""
    junk: tuple[object, ...] = (None, 7, [], {"": [None]})
    for name in payload:
        yield without(payload, name)
        yield from ({**payload, name: value} for value in junk)


def damaged(data: st.DataObject, value: Mapping[str, Any]) -> dict[str, Any]:
    """The payload with one field gone or of another type, at any depth."""
    key = data.draw(st.sampled_from(sorted(value)))
    inner = value[key]
    if isinstance(inner, dict) and inner and data.draw(st.booleans()):
        return {**value, key: damaged(data, inner)}
    if data.draw(st.booleans()):
        return without(value, key)
    return {**value, key: data.draw(JUNK)}


def without(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The payload without one of its fields."""
    return {name: member for name, member in value.items() if name != key}


def mixed(payload: Mapping[str, object], gone: Set[str], junk: Mapping[str, object]) -> dict[str, object]:
    """A payload without some of its fields and with junk in others."""
    return {**{name: value for name, value in payload.items() if name not in gone}, **junk}


def lines(values: Sequence[object]) -> bytes:
    """Each value as one line of JSON."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)
