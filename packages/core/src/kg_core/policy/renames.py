"""The names that a file had, or will have, as git tells them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_STATUS: Final = re.compile(r"\s*R\d*")
_MOST: Final = 8
"""So many names of one file are followed in each direction."""


class Rename(NamedTuple):
    """One rename, both paths relative to the top of the work tree."""

    old: str
    new: str


def renames_of(listing: str) -> tuple[Rename, ...]:
    """The renames in what git lists with ``--name-status -z``, in its order."""
    return tuple(_listed(iter(listing.split("\0"))))


def _listed(fields: Iterator[str]) -> Iterator[Rename]:
    for status in fields:
        if _STATUS.fullmatch(status):
            old, new = next(fields, ""), next(fields, "")
            if old and new:
                yield Rename(old, new)


class Renames:
    """The renames of one history, the latest first, ready to be asked in time that does not depend on their number."""

    def __init__(self, latest_first: Iterable[Rename] = ()) -> None:
        self._before: dict[str, list[tuple[int, str]]] = {}
        self._after: dict[str, list[tuple[int, str]]] = {}
        for age, (old, new) in enumerate(latest_first):
            self._before.setdefault(new, []).append((age, old))
            self._after.setdefault(old, []).append((age, new))

    def __len__(self) -> int:
        return sum(map(len, self._before.values()))

    def names(self, path: str) -> tuple[str, ...]:
        """The other names of the file that is called ``path`` now, or was: earlier ones first, the nearest of them
        first, then later ones. A name that was given twice is followed through the rename that fits in time.
        """
        earlier = _followed(path, self._before, back=True)
        later = _followed(path, self._after, back=False)
        return tuple(dict.fromkeys(name for name in (*earlier, *later) if name != path))


def _followed(path: str, steps: Mapping[str, list[tuple[int, str]]], *, back: bool) -> Iterator[str]:
    """Ages grow as one goes back: each step back is older than the one before it, each step on is younger."""
    reached: int | None = None
    for _ in range(_MOST):
        known = steps.get(path, [])
        if reached is None:
            step = known[0] if known else None
        elif back:
            step = next((step for step in known if step[0] > reached), None)
        else:
            step = next((step for step in reversed(known) if step[0] < reached), None)
        if step is None:
            return
        reached, path = step
        yield path
