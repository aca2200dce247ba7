"""Comparing values of settings: what is equal, what is still ours, what others added. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STILL_OURS: Final = 0.5
"""The share of our leaves that must stand unchanged in a value for it to count as ours, edited by somebody."""

Path = tuple[str | int, ...]


class Clash(Exception):
    """Two sides changed the same leaf."""


def plain(value: object) -> object:
    """The value in lists, dicts with string keys and scalars, so that equal claims compare equal."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def same(left: object, right: object) -> bool:
    """Equality of parsed settings; unlike Python's, it tells true from 1. The order of keys is no difference."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right or (left != left and right != right)


def likeness(current: object, ours: object) -> float:
    """The share of our leaves, 0 to 1, that stand unchanged in ``current``. What others added does not count."""
    kept, total = _leaves(current, ours)
    return kept / total


def is_ours(current: object, ours: object) -> bool:
    """Whether ``current`` is our value, perhaps edited by somebody since."""
    return likeness(current, ours) >= STILL_OURS


def _leaves(current: object, ours: object) -> tuple[int, int]:
    if isinstance(ours, dict) and ours:
        found = current if isinstance(current, dict) else {}
        pairs = [_leaves(found.get(key, _NOTHING), item) for key, item in ours.items()]
    elif isinstance(ours, list) and ours:
        members = current if isinstance(current, list) else []
        pairs = [max((_leaves(member, item) for member in members), default=_leaves(_NOTHING, item)) for item in ours]
    else:
        return int(same(current, ours)), 1
    return sum(kept for kept, _ in pairs), sum(total for _, total in pairs)


_NOTHING: Final = object()


def merged(base: object, mine: object, theirs: object) -> object:
    """Three-way merge of one value: ``mine`` is the new claim, ``theirs`` what is on disk, ``base`` what we put there.

    Raises Clash when both changed the same leaf to different values.
    """
    if same(theirs, base) or same(theirs, mine):
        return mine
    if same(mine, base):
        return theirs
    if isinstance(base, dict) and isinstance(mine, dict) and isinstance(theirs, dict):
        result: dict[str, object] = {}
        for key in [*theirs, *(key for key in mine if key not in theirs)]:
            value = _merged_key(base.get(key, _NOTHING), mine.get(key, _NOTHING), theirs.get(key, _NOTHING))
            if value is not _NOTHING:
                result[key] = value
        return result
    if _shared(base, top=False) and _shared(mine, top=False) and isinstance(theirs, list) and isinstance(base, list):
        added = [item for item in theirs if not any(is_ours(item, old) for old in base)]
        return [*(mine if isinstance(mine, list) else ()), *added]
    raise Clash


def _merged_key(base: object, mine: object, theirs: object) -> object:
    if theirs is base or theirs is mine or same(theirs, base):
        return mine
    if mine is base or same(mine, base):
        return theirs
    return merged(base, mine, theirs)


def best_match(members: list[object], ours: object, taken: set[int]) -> int | None:
    """The index of the member that is ours: the first equal one, else the likest that is still ours."""
    free = [index for index in range(len(members)) if index not in taken]
    for index in free:
        if same(members[index], ours):
            return index
    best = max(free, key=lambda index: likeness(members[index], ours), default=None)
    return best if best is not None and is_ours(members[best], ours) else None


def to_take_out(current: object, ours: object) -> list[Path] | None:
    """Which parts of ``current`` to take out so that only what others put there stays; None means all of it.

    A list of objects, or our value when it is itself a list, is a place where others put things of their own. Anything
    else that was added (an option in our object) describes our entry and goes with it.
    """
    return _parts(current, ours, top=True)


def _parts(current: object, ours: object, *, top: bool) -> list[Path] | None:
    if isinstance(current, dict) and isinstance(ours, dict):
        found = {key: _parts(current[key], item, top=False) for key, item in ours.items() if key in current}
        paths: list[Path] = [(key, *path) for key, parts in found.items() if parts is not None for path in parts]
        return paths if any(parts is not None for parts in found.values()) else None
    if isinstance(current, list) and isinstance(ours, list) and _shared(ours, top=top):
        taken: set[int] = set()
        inner: list[Path] = []
        for item in ours:
            index = best_match(current, item, taken)
            if index is None:
                continue
            taken.add(index)
            parts = _parts(current[index], item, top=False)
            inner += [(index,)] if parts is None else [(index, *path) for path in parts]
        all_ours = len(taken) == len(current) and all(len(path) == 1 for path in inner)
        return None if all_ours else inner
    return None


def _shared(value: object, *, top: bool) -> bool:
    return isinstance(value, list) and (top or (bool(value) and all(isinstance(item, dict) for item in value)))
