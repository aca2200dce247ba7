"""Which rules hold for a file: by the map alone, the same each time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_core.model.globs import composed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kg_core.model.projectmap import Component, ProjectMap, Rule, Severity


@dataclass(frozen=True, slots=True)
class Applying:
    """What holds for some files.

    ``components`` have one of the files, the nearest match first: an exact path before patterns, of these the one with
    the longest beginning without wildcards, then the higher priority, then by slug. ``beside`` are those that they
    depend on directly. ``rules`` belong to ``components``, then to ``beside``; within each the most demanding first.
    ``unmapped`` are the files that no component has.
    """

    components: tuple[Component, ...] = ()
    beside: tuple[Component, ...] = ()
    rules: tuple[Rule, ...] = ()
    unmapped: tuple[str, ...] = ()

    def with_severity(self, severity: Severity) -> tuple[Rule, ...]:
        """The rules of one severity."""
        return tuple(rule for rule in self.rules if rule.severity is severity)


def components_of(project_map: ProjectMap, path: str) -> tuple[Component, ...]:
    """The components that have a file, the nearest match first. ``path`` is relative to the root of the code base."""
    path = composed(path)
    ranked = []
    for component in project_map.components:
        fits = [(glob.is_exactly(path), len(glob.literal)) for glob in component.paths if glob.matches(path)]
        if fits:
            is_exact, literal = max(fits)
            ranked.append((not is_exact, -literal, -component.priority, component.slug, component))
    return tuple(component for *_, component in sorted(ranked, key=lambda entry: entry[:-1]))


def applying(project_map: ProjectMap, paths: Iterable[str]) -> Applying:
    """The components of all ``paths``, what these depend on, and their rules, each once."""
    components: dict[str, Component] = {}
    unmapped: list[str] = []
    for path in dict.fromkeys(paths):
        found = components_of(project_map, path)
        components.update((component.slug, component) for component in found if component.slug not in components)
        if not found:
            unmapped.append(path)
    return _gathered(project_map, tuple(components.values()), tuple(unmapped))


def of_component(project_map: ProjectMap, component: Component) -> Applying:
    """What holds for any file of one component."""
    return _gathered(project_map, (component,), ())


def _gathered(project_map: ProjectMap, components: tuple[Component, ...], unmapped: tuple[str, ...]) -> Applying:
    slugs = {component.slug for component in components}
    near = dict.fromkeys(slug for component in components for slug in component.depends_on if slug not in slugs)
    beside = tuple(project_map.by_slug[slug] for slug in near)
    rules = (*_rules(project_map, components), *_rules(project_map, beside))
    return Applying(components, beside, rules, unmapped)


def _rules(project_map: ProjectMap, components: Iterable[Component]) -> Iterator[Rule]:
    """The rules of components in their order, the most demanding of all first."""
    offered = [rule for component in components for rule in project_map.rules_of.get(component.slug, ())]
    yield from sorted(offered, key=lambda rule: rule.severity.order)


def reached(project_map: ProjectMap) -> frozenset[str]:
    """The slugs whose rules come with some file: components that have paths, and those that these depend on."""
    with_paths = [component for component in project_map.components if component.paths]
    return frozenset(
        [component.slug for component in with_paths]
        + [slug for component in with_paths for slug in component.depends_on]
    )
