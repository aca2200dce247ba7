"""The map of a code base: its components, and the rules that hold for them. People write it; kg may draft the first."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kg_core.model.globs import Glob

FOLDER: Final = ".kg"
"""The folder of a work tree in which kg's own files lie: its map, and a team's exchange copy."""


class Severity(StrEnum):
    """How much a rule asks, the most first."""

    MUST = "must"
    SHOULD = "should"
    INFO = "info"

    @property
    def order(self) -> int:
        """Its place, from 0 for ``must``."""
        return tuple(Severity).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A part of the code base. ``parent`` and ``depends_on`` hold slugs; ``priority`` decides between equal matches."""

    slug: str
    name: str = ""
    parent: str = ""
    responsibility: str = ""
    paths: tuple[Glob, ...] = ()
    priority: int = 0
    depends_on: tuple[str, ...] = ()
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What must, should or may be known by who changes a component; without ``component``, anything here."""

    title: str
    statement: str
    severity: Severity = Severity.MUST
    component: str = ""
    rationale: str = ""
    source: str = ""

    @property
    def version(self) -> str:
        """Names this rule as it is worded now: what was shown under it is known."""
        worded = "\x00".join((self.component, self.severity, self.title, self.statement))
        return hashlib.sha256(worded.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class ProjectMap:
    """Components and rules, in the order in which they were written. Every slug that is named is a component's, and
    no component is its own ancestor: the reader of ``map.toml`` sees to it.
    """

    components: tuple[Component, ...] = ()
    rules: tuple[Rule, ...] = ()

    @cached_property
    def by_slug(self) -> Mapping[str, Component]:
        """The components by their slugs."""
        return MappingProxyType({component.slug: component for component in self.components})

    @cached_property
    def rules_of(self) -> Mapping[str, tuple[Rule, ...]]:
        """The rules of each component that has some, and under the empty slug those that hold everywhere; each list
        with the most demanding first.
        """
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.component, []).append(rule)
        return MappingProxyType(
            {slug: tuple(sorted(rules, key=lambda rule: rule.severity.order)) for slug, rules in found.items()}
        )

    def prepare(self) -> None:
        """Makes what is derived from the map, so that whoever asks first need not wait for it."""
        self.by_slug, self.rules_of, self._below  # noqa: B018 - each is made when it is first looked at

    def children(self, slug: str) -> tuple[Component, ...]:
        """The components below another, or the topmost ones: of higher priority first, then by slug."""
        return self._below.get(slug, ())

    @cached_property
    def _below(self) -> Mapping[str, tuple[Component, ...]]:
        found: dict[str, list[Component]] = {}
        for component in sorted(self.components, key=lambda component: (-component.priority, component.slug)):
            found.setdefault(component.parent, []).append(component)
        return {slug: tuple(components) for slug, components in found.items()}


def ancestry_cycles(components: Iterable[Component]) -> list[tuple[str, ...]]:
    """The components that are their own ancestors, each cycle once, from its first slug."""
    return _cycles({component.slug: (component.parent,) if component.parent else () for component in components})


def dependency_cycles(components: Iterable[Component]) -> list[tuple[str, ...]]:
    """Cycles of ``depends_on``, at least one through each component that has any; from their first slugs."""
    return _cycles({component.slug: component.depends_on for component in components})


def _cycles(follows: Mapping[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Cycles as a walk in depth meets them, without recursion: a map may be as deep as it likes."""
    found: dict[tuple[str, ...], None] = {}
    done: set[str] = set()
    for start in sorted(follows):
        way: dict[str, int] = {}
        stack = [(start, 0)]
        while stack:
            slug, depth = stack.pop()
            while len(way) > depth:
                done.add(way.popitem()[0])
            if slug in way:
                cycle = list(way)[way[slug] :]
                first = cycle.index(min(cycle))
                found[*cycle[first:], *cycle[:first]] = None
            elif slug not in done and slug in follows:
                way[slug] = depth
                stack += [(other, depth + 1) for other in reversed(follows[slug])]
        done.update(way)
    return list(found)
