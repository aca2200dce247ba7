"""What a term counts on all nodes of a graph, a byte for each, so that all are added up in one step."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Column: TypeAlias = bytearray
"""The impact by number; 0 for a node that does not have the term."""
_LANE: Final = 4
"""Bytes for the sum of a node."""
_MOST_WEIGHT: Final = 2**24


def added(columns: Sequence[tuple[Column, int]]) -> list[int]:
    """By number, the sum of weight times impact over columns of any length.

    ``ValueError`` for weights that sum up to more than 2²⁴.

    A column is read as one whole number, whose digits to the base of 2³² are the impacts: as no sum reaches the base,
    one multiplication and one addition of such numbers do what else takes a step of Python for each node.
    """
    if sum(weight for _, weight in columns) > _MOST_WEIGHT:
        raise ValueError("these weights are too large: the sum of a node could reach into that of the next one")
    total = size = 0
    for column, weight in columns:
        lanes = bytearray(_LANE * len(column))
        lanes[::_LANE] = column
        total += weight * int.from_bytes(lanes, "little")
        size = max(size, len(column))
    return list(struct.unpack(f"<{size}I", total.to_bytes(_LANE * size, "little")))
