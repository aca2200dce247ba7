"""What is wrong with the storage right now, for health, doctor and the next session start."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from kg_core.model import PROJECT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Collection

    from kg_core.model import GraphKey


class ProblemKind(StrEnum):
    """What kind of problem it is."""

    DAMAGED = "damaged"
    """A file could not be read whole; it was kept under another name, and what could be saved is served."""
    MISSING = "missing"
    """A file that we wrote is gone; its content was restored."""
    UNWRITABLE = "unwritable"
    """Something cannot be written now; it is tried again."""
    NEWER = "newer"
    """A file was written by a later version and is only read."""
    CONFLICT = "conflict"
    """An edit from outside and one of ours met; both are kept in the node."""
    BESIDE = "beside"
    """Something that others keep beside the memory does not work: its git repository, a team's exchange copy."""
    SEARCH = "search"
    """The search backend that the settings choose does not answer."""
    CIRCLE = "circle"
    """Lessons rest on one another, which an edit, an import or a merge brought."""
    MAP = "map"
    """A project's map of components and rules cannot be used as it stands."""
    BEYOND = "beyond"
    """Lessons that are larger, or have other ids, than a tool may write: people and imports may."""
    DORMANT = "dormant"
    """Edges with an end that names nothing any more: they are kept, and neither shown nor counted."""
    ODD = "odd"
    """Something is there that has no meaning: an unknown variable, an unreadable registration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem, in a sentence for people. ``graph`` is the one whose content it is about, which the sentence may
    quote; empty where it is about none, or about all.
    """

    kind: ProblemKind
    path: str
    sentence: str
    graph: GraphKey = ""

    def concerns(self, graphs: Collection[GraphKey]) -> bool:
        """Whether a session with these levels is to hear of it: of what another project holds it is not."""
        return self.graph in graphs or not self.graph.startswith(PROJECT_PREFIX)


@dataclass(slots=True)
class Problems:
    """The problems there are: one per kind and path, gone when solved."""

    _known: dict[tuple[ProblemKind, str], Problem] = field(default_factory=dict)

    def report(self, kind: ProblemKind, path: object, sentence: str, *, graph: GraphKey = "") -> None:
        """There is this problem, whatever was known of that kind and path before."""
        self._known[kind, str(path)] = Problem(kind=kind, path=str(path), sentence=sentence, graph=graph)

    def solved(self, kind: ProblemKind, path: object) -> None:
        """There is no such problem any more."""
        self._known.pop((kind, str(path)), None)

    def all(self) -> tuple[Problem, ...]:
        """The problems, in the order in which they came up."""
        return tuple(self._known.values())
