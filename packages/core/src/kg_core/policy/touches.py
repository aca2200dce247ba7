"""Which lessons touch a file: the index of the pointers that nodes hold, kept up to date one node at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Final

from kg_core.model import USER
from kg_core.policy.pointers import Pattern, is_pattern, pattern, plain, readings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kg_core.model import Graph

_MOST: Final = 64
"""Of the lessons that one pointer is common to, so many of the latest are looked at."""


class How(StrEnum):
    """How a pointer meets a file, best first."""

    EXACT = "exact"
    GLOB = "glob"
    DIRECTORY = "directory"
    RENAMED = "renamed"
    """It meets the file under a name that this has at another time."""


_ORDER: Final = {how: 2 * place for place, how in enumerate(How)}
"""The places between are for the same under another name."""


@dataclass(frozen=True, slots=True)
class TouchMatch:
    """A node that touches a file. ``touch`` is the pointer as it is written in the node.

    ``rank`` orders matches, the least first: by the way to meet the file, under its own name before another, then by
    how loosely it does, in wildcards or folders between.
    """

    id: str
    how: How
    touch: str
    rank: tuple[int, int]


def _all(name: str) -> bool:
    del name
    return True


@dataclass(slots=True)
class _Group:
    """A pattern, and the nodes that hold it with the pointers as written."""

    pattern: Pattern
    ids: dict[str, str] = field(default_factory=dict)


class TouchIndex:
    """The pointers of one graph. A change costs the node's own pointers, a question the depth of its path.

    In the user's graph, which belongs to no folder, a relative pointer means nothing, unless it is a pattern for any
    folder. ``home`` is what ``~`` stands for; ``folds_case`` is for disks that do not tell ``A`` from ``a``.
    """

    def __init__(self, *, home: str = "", folds_case: bool = False) -> None:
        self._home = home
        self._folds_case = folds_case
        self._is_anywhere = False
        self.is_whole = True
        """Whether all of the graph is in it; whoever fills it bit by bit says so."""
        self._held: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._places: dict[str, dict[str, str]] = {}
        self._groups: dict[str, dict[str, _Group]] = {}

    def __len__(self) -> int:
        return len(self._held)

    def update(self, graph: Graph, ids: Iterable[str] | None = None) -> None:
        """Follows a graph in the nodes named, or in all that it has or had."""
        self._is_anywhere = graph.key == USER
        for node_id in {*self._held, *graph.nodes} if ids is None else ids:
            node = graph.nodes.get(node_id)
            touches = node.touches if node is not None else ()
            held, paths = self._held.get(node_id, ((), ()))
            if held == touches:
                continue
            for path in paths:
                self._remove(path, node_id)
            self._held.pop(node_id, None)
            if touches:
                self._held[node_id] = (touches, tuple(self._add(node_id, touches)))

    def match(
        self,
        path: str | Sequence[str],
        former: Sequence[str] = (),
        admits: Callable[[str], bool] = _all,
        is_gone: Callable[[str], bool] = _all,
    ) -> list[TouchMatch]:
        """The nodes that touch a file, best first, each once: exactly, by a pattern, or by the nearest folder that any
        node names. Only those that ``admits`` lets pass count.

        ``path`` are the ways to write the file's path: relative to the project, absolute, or both. ``former`` are the
        names that the same file has at other times; what matches one of these comes behind what matches in the same
        way by the name itself. Of the folders of such a name only those count that are ``is_gone``: what is said of
        one that there still is concerns the files in it.
        """
        met = [
            *self._under((path,) if isinstance(path, str) else path, admits),
            *(_renamed(match) for match in self._under(former, admits, is_gone)),
        ]
        found: dict[str, TouchMatch] = {}
        for match in sorted(met, key=_place):
            found.setdefault(match.id, match)
        return list(found.values())

    def _under(
        self, paths: Iterable[str], admits: Callable[[str], bool], counts: Callable[[str], bool] = _all
    ) -> Iterator[TouchMatch]:
        """What matches a file under any of these names; of the folders that count the nearest alone."""
        nearest: list[TouchMatch] = []
        for path in filter(None, (self._key(plain(each, self._home)) for each in paths)):
            yield from self._at(path, How.EXACT, 0, admits)
            yield from self._by_pattern(path, admits)
            for distance, folder in enumerate(_above(path), start=1):
                if counts(folder) and (at := list(self._at(folder, How.DIRECTORY, distance, admits))):
                    nearest += at
                    break
        least = min((match.rank for match in nearest), default=None)
        yield from (match for match in nearest if match.rank == least)

    def _at(self, path: str, how: How, far: int, admits: Callable[[str], bool]) -> Iterator[TouchMatch]:
        held = self._places.get(path, {})
        for node_id in islice(reversed(held), _MOST):
            if admits(node_id):
                yield TouchMatch(node_id, how, held[node_id], (_ORDER[how], far))

    def _by_pattern(self, path: str, admits: Callable[[str], bool]) -> Iterator[TouchMatch]:
        is_absolute = path.startswith("/")
        for folder in _above(path):
            for group in self._groups.get(folder, {}).values():
                is_of_this_kind = self._is_anywhere or group.pattern.is_absolute is is_absolute
                if is_of_this_kind and group.pattern.matches(path):
                    rank = (_ORDER[How.GLOB], group.pattern.loose)
                    for node_id in islice(reversed(group.ids), _MOST):
                        if admits(node_id):
                            yield TouchMatch(node_id, How.GLOB, group.ids[node_id], rank)

    def _add(self, node_id: str, touches: Iterable[str]) -> Iterator[str]:
        for touch in touches:
            for path in map(self._key, readings(touch, self._home)):
                ready = pattern(path) if is_pattern(path) else None
                is_placed = path.startswith("/") or (ready is not None and ready.is_for_any_folder)
                if self._is_anywhere and not is_placed:
                    continue
                self._places.setdefault(path.rstrip("/"), {})[node_id] = touch
                if ready is not None:
                    self._groups.setdefault(ready.folder, {}).setdefault(path, _Group(ready)).ids[node_id] = touch
                yield path

    def _remove(self, path: str, node_id: str) -> None:
        place = path.rstrip("/")
        held = self._places.get(place, {})
        held.pop(node_id, None)
        if not held:
            self._places.pop(place, None)
        if is_pattern(path):
            folder = pattern(path).folder
            groups = self._groups.get(folder, {})
            if path in groups:
                groups[path].ids.pop(node_id, None)
                if not groups[path].ids:
                    del groups[path]
                if not groups:
                    del self._groups[folder]

    def _key(self, path: str) -> str:
        return path.casefold() if self._folds_case else path


def _renamed(match: TouchMatch) -> TouchMatch:
    way, loose = match.rank
    return TouchMatch(match.id, How.RENAMED, match.touch, (way + 1, loose))


def _place(match: TouchMatch) -> tuple[tuple[int, int], str]:
    return match.rank, match.id


def _above(path: str) -> Iterator[str]:
    """The folders of a path, the nearest first; at last the one without a name, in which everything lies."""
    at = path.rfind("/")
    while at >= 0:
        yield path[:at]
        at = path.rfind("/", 0, at)
    if not path.startswith("/"):
        yield ""
