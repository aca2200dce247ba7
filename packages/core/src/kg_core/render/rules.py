"""Components and rules of a project's map as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.render.neutral import one_line

if TYPE_CHECKING:
    from kg_core.model.projectmap import Component, Rule

_DEEPEST: Final = 12
_GLOBS: Final = 3
"""A component is shown with so many of its patterns."""


def rule_line(rule: Rule) -> str:
    """``  must (auth): title: statement``; without a component where the rule holds everywhere."""
    of = f" ({one_line(rule.component)})" if rule.component else ""
    title, statement = one_line(rule.title).rstrip(".:"), one_line(rule.statement)
    said = statement if statement.casefold().rstrip(".") == title.casefold() else f"{title}: {statement}"
    return f"  {rule.severity}{of}: {said}"


def rule_lines(rule: Rule) -> list[str]:
    """A rule with why it is there and where it comes from."""
    lines = [rule_line(rule)]
    if rule.rationale.strip():
        lines.append(f"    because: {one_line(rule.rationale)}")
    if rule.source.strip():
        lines.append(f"    source: {one_line(rule.source)}")
    return lines


def indented(depth: int) -> str:
    """What stands before the line of a component with so many others above it."""
    return "  " * (min(depth, _DEEPEST) + 1)


def component_line(component: Component, depth: int = 0) -> str:
    """``  auth: what it is for [src/auth/**]``, two spaces further in for each component above it, as far as
    that helps a reader.
    """
    what = one_line(component.responsibility.strip() or component.name.strip())
    globs = [one_line(glob.text) for glob in component.paths[:_GLOBS]]
    more = ["…"] if len(component.paths) > _GLOBS else []
    where = f" [{', '.join([*globs, *more])}]" if globs else ""
    return f"{indented(depth)}{one_line(component.slug)}{f': {what}' if what else ''}{where}"


def component_lines(component: Component) -> list[str]:
    """A component with what it depends on and whose it is."""
    lines = [component_line(component)]
    if component.depends_on:
        lines.append(f"    depends on: {', '.join(one_line(slug) for slug in component.depends_on)}")
    if component.owner.strip():
        lines.append(f"    owner: {one_line(component.owner)}")
    return lines
