"""kg_rules: the rules of the code base, everywhere or for a file or a component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from kg_core.model.ids import fold
from kg_core.policy.overview import rule_mark, walked
from kg_core.policy.pointers import readings
from kg_core.policy.rules import applying, components_of, of_component
from kg_core.render import Block, one_line
from kg_core.render.rules import component_line, component_lines, rule_lines
from kg_plugin_api import Code, KgError
from kg_server.tools.arguments import Arguments, Name
from kg_server.tools.lists import paths
from kg_server.tools.plan import Call, Plan, said

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.model.projectmap import Component, ProjectMap, Rule
    from kg_core.policy.rules import Applying

_NAMED: Final = 20
"""So many components are named to a model that asked for one that is not there."""
_NO_MAP = (
    "Nobody has written a map of this code base, so there are no rules to know. Do not make one up; a person can begin "
    "one with `kg map init`."
)


class RulesArguments(Arguments):
    """Arguments of kg_rules."""

    path: Annotated[Name, Field(description="A file: absolute, or relative to the root of the code base.")] = ""
    component: Annotated[Name, Field(description="The slug of a component.")] = ""


def plan(arguments: RulesArguments, call: Call) -> Plan:
    """Shows rules with their reasons. Raises NOT_FOUND for an unknown component and INVALID for a file elsewhere."""
    project_map = call.map.map
    if call.durable.project is None:
        return said("No project belongs to this session, so there are no rules.")
    if not project_map.components and not project_map.rules:
        return said(call.map.problem.sentence if call.map.problem is not None else _NO_MAP)
    blocks = [Block(text=one_line(call.map.problem.sentence))] if call.map.problem is not None else []
    if arguments.path:
        blocks += _for_file(arguments.path, call)
    if arguments.component:
        component = _component(project_map, arguments.component)
        blocks += _applying(of_component(project_map, component), call)
    if not arguments.path and not arguments.component:
        blocks += [*_everywhere(call), *_tree(project_map)]
    return Plan(blocks=tuple(blocks), paged=True)


def _for_file(path: str, call: Call) -> list[Block]:
    """What holds for a file, also when a place in it is named as touches do; of several files, for all of them."""
    files = _files(path, call)
    if not files:
        raise KgError(Code.INVALID, f"{path!r} is no file of this code base, whose root is {call.map.tree}.")
    mapped = [[place for place in places if components_of(call.map.map, place)] for places in files]
    found = applying(call.map.map, [place for places in mapped for place in places])
    if not found.components:
        named = ", ".join(one_line(places[0]) for places in files)
        return [Block(text=f"No component has {named}; what holds everywhere holds for it."), *_everywhere(call)]
    named = ", ".join(one_line((places or whole)[-1]) for places, whole in zip(mapped, files, strict=True))
    return [Block(text=f"{named}:"), *_applying(found, call), *_everywhere(call)]


def _files(path: str, call: Call) -> list[list[str]]:
    """The files of the code base that ``path`` names, each by all the places that it may mean, as written first."""
    named = paths(path.strip().removeprefix("file://"))
    pointers = [str(each) for each in named] if isinstance(named, list) else [path]
    meant = [
        [place for file in dict.fromkeys((pointer, *readings(pointer))) if (place := call.place(file))]
        for pointer in pointers
    ]
    return [places for places in meant if places]


def _applying(found: Applying, call: Call) -> list[Block]:
    """The components and then the rules, both the nearest first."""
    return [
        *_components("Components:", found.components),
        *_components("They depend on:", found.beside),
        *(_rules("Rules:", found.rules, call) or [Block(text="They have no rules of their own.")]),
    ]


def _components(heading: str, components: Iterable[Component]) -> list[Block]:
    blocks = [Block(text="\n".join(component_lines(component))) for component in components]
    return [Block(text=heading), *blocks] if blocks else []


def _everywhere(call: Call) -> list[Block]:
    return _rules("Rules that hold everywhere:", call.map.map.rules_of.get("", ()), call)


def _rules(heading: str, rules: Iterable[Rule], call: Call) -> list[Block]:
    blocks = [Block(text="\n".join(rule_lines(rule)), marks=(rule_mark(call.context.project, rule),)) for rule in rules]
    return [Block(text=heading), *blocks] if blocks else []


def _tree(project_map: ProjectMap) -> list[Block]:
    lines = [Block(text=component_line(component, depth)) for component, depth in walked(project_map)]
    return [Block(text="Components:"), *lines] if lines else []


def _component(project_map: ProjectMap, slug: str) -> Component:
    if slug in project_map.by_slug:
        return project_map.by_slug[slug]
    alike = [each for name, each in project_map.by_slug.items() if fold(name) == fold(slug.strip())]
    if len(alike) != 1:
        slugs = sorted(project_map.by_slug)
        more = [f"and {len(slugs) - _NAMED} more"] if len(slugs) > _NAMED else []
        known = ", ".join([*slugs[:_NAMED], *more]) or "none"
        raise KgError(Code.NOT_FOUND, f"There is no component {slug!r}; there are: {known}.", {"component": slug})
    return alike[0]
