"""``map.toml``: from its text to a project's map, or to sentences that say what is wrong and where."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final

import tomli_w
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from kg_core.model.globs import Glob
from kg_core.model.ids import fold, is_legal
from kg_core.model.projectmap import Component, ProjectMap, Rule, Severity, ancestry_cycles
from kg_core.model.toml import read_toml
from kg_core.store.tomlwords import wrong
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

BYTES: Final = 1_048_576
"""A larger file is no map that a person wrote."""
LONGEST_PATTERN: Final = 1_000
"""Characters of one pattern."""
ALL_PATTERNS: Final = 100_000
"""Characters of all patterns of a map: every file that an agent reads or edits is held against each of them."""
_KINDS: Final = ("component", "constraint")
_TABLE: Final = re.compile(r"^[ \t]*\[\[[ \t]*(component|constraint)[ \t]*\]\][ \t]*(?:#.*)?$", re.MULTILINE)
_LIST_OF_ONE: Final = re.compile(r'= \[\n    ("(?:[^"\\\n]|\\.)*"),\n\]')
_SHOWN: Final = 5
"""So many faults are told at once."""
_FAULT: Final = 600
"""Characters of one of them."""


class MapError(KgError):
    """A map that cannot be used as it stands; the sentence names each place and what to do."""


def _slug(text: str) -> str:
    if not is_legal(text):
        raise ValueError("must be of letters, digits, '.', '_' and '-'")
    return text


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text.strip()


def _glob(text: str) -> str:
    if len(text) > LONGEST_PATTERN:
        raise ValueError(f"has more than {LONGEST_PATTERN:,} characters; no file has such a path")
    Glob.of(text)
    return text


_Slug = Annotated[str, AfterValidator(_slug)]
_Text = Annotated[str, AfterValidator(_text)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _ComponentTable(_Table):
    slug: _Slug
    name: str = ""
    parent: str = ""
    responsibility: str = ""
    paths: Annotated[tuple[Annotated[str, AfterValidator(_glob)], ...], Field(strict=False)] = ()
    priority: int = 0
    depends_on: Annotated[tuple[str, ...], Field(strict=False)] = ()
    owner: str = ""


class _ConstraintTable(_Table):
    title: _Text
    statement: _Text
    severity: Annotated[Severity, Field(strict=False)] = Severity.MUST
    component: str = ""
    rationale: str = ""
    source: str = ""


_MODELS: Final[Mapping[str, type[_Table]]] = {"component": _ComponentTable, "constraint": _ConstraintTable}


@dataclass(frozen=True, slots=True)
class MapSource:
    """The text of one file, and the name by which its faults are told."""

    name: str
    text: str


@dataclass(slots=True)
class _Reading:
    """What was found so far: values, each with its place, and faults."""

    components: list[tuple[str, Component]] = field(default_factory=list)
    rules: list[tuple[str, Rule]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def parse_map(sources: Iterable[MapSource]) -> ProjectMap:
    """The map that these files make up together, the first one's components and rules first.

    Raises MapError (INVALID) with every fault: file, line, which table, what is wrong with it and what to do.
    """
    reading = _Reading()
    for source in sources:
        _read(source, reading)
    if not reading.faults:
        reading.faults += _misfits(reading)
    if reading.faults:
        shown = [fault if len(fault) <= _FAULT else f"{fault[: _FAULT - 1]}…" for fault in reading.faults[:_SHOWN]]
        more = len(reading.faults) - len(shown)
        raise MapError(
            Code.INVALID,
            "; ".join([*shown, *([f"and {more} more"] if more else [])]) + ".",
            {"faults": list(reading.faults)},
        )
    found = ProjectMap(tuple(each for _, each in reading.components), tuple(each for _, each in reading.rules))
    found.prepare()
    return found


def map_text(components: Iterable[Component]) -> str:
    """The text of a map with these components and no rule, in the order of the keys that people write."""
    tables = [{key: said for key, said in component_facts(component).items() if said} for component in components]
    text = tomli_w.dumps({"component": tables}, multiline_strings=False) if tables else ""
    return _LIST_OF_ONE.sub(r"= [\1]", text)


def component_facts(component: Component) -> dict[str, object]:
    """All keys of a component, as a map has them."""
    return {
        "slug": component.slug,
        "name": component.name,
        "parent": component.parent,
        "responsibility": component.responsibility,
        "paths": [glob.text for glob in component.paths],
        "priority": component.priority,
        "depends_on": list(component.depends_on),
        "owner": component.owner,
    }


def _read(source: MapSource, reading: _Reading) -> None:
    try:
        tables = read_toml(source.text)
    except (ValueError, RecursionError) as error:
        reading.faults.append(f"{source.name} is not valid TOML: {error}")
        return
    for key in tables:
        if key not in _KINDS:
            reading.faults.append(f"{source.name}: there is no key {key!r}; a map has [[component]] and [[constraint]]")
    lines = _lines(source.text)
    for kind in _KINDS:
        listed = tables.get(kind, [])
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            reading.faults.append(f"{source.name}: write [[{kind}]] with two brackets on each side")
            continue
        at = lines[kind] if len(lines[kind]) == len(listed) else []
        for number, table in enumerate(listed, 1):
            line = f", line {at[number - 1]}" if at else ""
            _take(kind, table, f"{source.name}{line} ([[{kind}]] {number})", reading)


def _take(kind: str, table: Mapping[str, Any], place: str, reading: _Reading) -> None:
    try:
        checked = _MODELS[kind].model_validate(table)
    except ValidationError as error:
        reading.faults += [f"{place}: {_sentence(kind, problem)}" for problem in error.errors(include_url=False)]
        return
    if isinstance(checked, _ComponentTable):
        values = checked.model_dump(exclude={"paths"})
        paths = tuple(dict.fromkeys(Glob.of(text) for text in checked.paths))
        reading.components.append((place, Component(**values, paths=paths)))
    else:
        reading.rules.append((place, Rule(**checked.model_dump())))


def _misfits(reading: _Reading) -> Iterator[str]:
    """What is wrong between tables that are right by themselves."""
    places: dict[str, str] = {}
    for place, component in reading.components:
        earlier = places.setdefault(fold(component.slug), place)
        if earlier != place:
            yield f"{place}: the component {component.slug!r} is already in {earlier}; give one of them another slug"
    slugs = {component.slug for _, component in reading.components}
    for place, component in reading.components:
        for key, named in (("parent", (component.parent,)), ("depends_on", component.depends_on)):
            for slug in named:
                if slug == component.slug:
                    yield f"{place}: {key} names the component itself; leave it out"
                elif slug and slug not in slugs:
                    yield f"{place}: {key} names {slug!r}, and {_no_component(slugs)}"
    for place, rule in reading.rules:
        if rule.component and rule.component not in slugs:
            yield f"{place}: component names {rule.component!r}, and {_no_component(slugs)}"
    patterns = sum(len(glob.text) for _, component in reading.components for glob in component.paths)
    if patterns > ALL_PATTERNS:
        place = reading.components[0][0]
        yield f"{place}: the patterns have more than {ALL_PATTERNS:,} characters altogether; name folders instead"
    for cycle in ancestry_cycles(component for _, component in reading.components):
        if len(cycle) > 1:
            where = next(place for place, component in reading.components if component.slug == cycle[0])
            yield f"{where}: parent goes in a circle ({' → '.join((*cycle, cycle[0]))}); leave one of them out"


def _no_component(slugs: set[str]) -> str:
    known = sorted(slugs)
    if not known:
        return "there is no component at all"
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return f"there is no such component; there are {', '.join(known[:10])}{more}"


def _sentence(kind: str, problem: Mapping[str, Any]) -> str:
    key = ".".join(str(part) for part in problem["loc"])
    match problem["type"]:
        case "extra_forbidden":
            return f"there is no key {key!r}; it may have {', '.join(_MODELS[kind].model_fields)}"
        case "missing":
            return f"the key {key!r} is missing"
        case "enum":
            return f"{key} must be {problem['ctx']['expected']}"
        case "value_error":
            return f"{key} {problem['ctx']['error']}"
        case _:
            return f"{key}: {wrong(problem)}"


def _lines(text: str) -> dict[str, list[int]]:
    """The lines on which tables seem to begin, by kind."""
    found: dict[str, list[int]] = {kind: [] for kind in _KINDS}
    line, counted = 1, 0
    for match in _TABLE.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        found[match.group(1)].append(line)
    return found
