"""What the command line asks of a project's map: what it says for a file, and what of it reaches nobody."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.policy import renames_of
from kg_core.policy.mapcheck import Finding, FindingKind, checked, dead_globs, overtaken, sources
from kg_core.policy.overview import walked
from kg_core.policy.rules import Applying, applying, of_component
from kg_core.render import one_line
from kg_core.render.rules import component_line, component_lines, indented, rule_lines
from kg_core.store.maptext import component_facts
from kg_plugin_api import Code, EventKind, KgError
from kg_plugin_api import Path as TextPath
from kg_server.counting import counted
from kg_server.delivery import room
from kg_server.keeping.git import GitFailed, quietly
from kg_server.keeping.tree import files_of
from kg_server.sources.rules import MOST_OF_A_REPLY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kg_core.model.globs import Glob
    from kg_core.model.projectmap import Component, ProjectMap, Rule
    from kg_core.store import MapState, Project, Store
    from kg_plugin_api import Harness

_COMMITS: Final = "5000"


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder's project and the map that is in force there."""

    project: Project
    state: MapState

    @property
    def tree(self) -> Path:
        return Path(self.state.tree)


async def shown(store: Store, cwd: str, path: str, component: str) -> dict[str, object]:
    """The map in force in ``cwd``: everything, what holds for a file, or for a component.

    ``text`` as a person reads it, ``components`` and ``rules`` as values, the ``files`` that it was read from and the
    ``problem`` that they have. Raises NOT_FOUND and INVALID.
    """
    if path and component:
        raise KgError(Code.INVALID, "Ask for what holds for a file or for a component, not for both at once.")
    place = await _place(store, cwd)
    relative = store.maps.relative(place.project, path, cwd) if path else ""
    if path and not relative:
        raise KgError(Code.INVALID, f"{path} is no file of {place.tree}.")
    named = os.path.relpath(Path(cwd, path), cwd)
    is_there = bool(path) and await asyncio.to_thread(os.path.lexists, place.tree / relative)
    mistaken = named if path and not is_there else ""
    return await asyncio.to_thread(_shown, place, relative, mistaken, component)


def _shown(place: _Place, path: str, mistaken: str, component: str) -> dict[str, object]:
    """``mistaken`` is a path as it was given, of which there is no file: it may be the name of a component."""
    project_map = place.state.map
    if path:
        found = applying(project_map, [path])
    elif component:
        if component not in project_map.by_slug:
            raise KgError(Code.NOT_FOUND, _no_component(place, component))
        found = of_component(project_map, project_map.by_slug[component])
    else:
        found = Applying(tuple(each for each, _ in walked(project_map)), (), project_map.rules)
    everywhere = project_map.rules_of.get("", ()) if path or component else ()
    rules = (*found.rules, *everywhere)
    text = _whole(project_map) if not path and not component else _some(found, everywhere)
    if not project_map.components and not project_map.rules and place.state.problem is None:
        text = [_empty(place)]
    if mistaken in project_map.by_slug:
        text.append(f"{mistaken} is no file but a component: `kg map show --component {mistaken}`.")
    return {
        "text": "\n".join(text),
        "components": [component_facts(each) for each in (*found.components, *found.beside)],
        "rules": [_rule_facts(rule) for rule in rules],
        **_facts(place),
    }


async def check(store: Store, harnesses: Iterable[Harness], cwd: str) -> dict[str, object]:
    """What is wrong with the map in force in ``cwd``, or overtaken. ``ok`` tells that every rule reaches somebody."""
    place = await _place(store, cwd)
    findings: list[Finding] = []
    if place.state.problem is not None:
        findings.append(Finding(FindingKind.BROKEN, "", place.state.problem.sentence))
    if place.state.files:
        project_map = place.state.map
        tree = await files_of(place.tree)
        moved = await _moved(place.tree, await asyncio.to_thread(dead_globs, project_map, tree), tree.files)
        measure = _measure(harnesses)
        findings += await asyncio.to_thread(checked, project_map, tree, moved, measure)
        findings += await _overtaken(place, project_map)
    lines = [one_line(f"{'PROBLEM' if each.kind.is_problem else 'note'}: {each.sentence}") for each in findings]
    if not (place.state.map.components or place.state.map.rules or findings):
        lines = [_empty(place)]
    elif not findings:
        lines = [f"{_count(place.state.map)}: all of it reaches somebody."]
    return {
        "ok": not any(each.kind.is_problem for each in findings),
        "text": "\n".join(lines),
        "findings": [
            {"kind": str(each.kind), "problem": each.kind.is_problem, "about": each.about, "sentence": each.sentence}
            for each in findings
        ],
        **_facts(place),
    }


async def _place(store: Store, cwd: str) -> _Place:
    project = store.projects.resolve(cwd) if cwd else None
    if project is None:
        raise KgError(Code.INVALID, f"{cwd or 'This folder'} belongs to no project, so it has no map.")
    return _Place(project, await store.maps.anew(project, cwd))


def _empty(place: _Place) -> str:
    if place.state.files:
        return f"The map has no components and no rules yet. Write them into {' or '.join(place.state.files)}."
    return "There is no map yet. `kg map init` begins one."


def _no_component(place: _Place, slug: str) -> str:
    """Why a component is not there: of a map that cannot be read, that is the reason."""
    if place.state.problem is not None:
        return f"No component {slug!r} is known. {place.state.problem.sentence}"
    if not place.state.map.components:
        return f"There is no component {slug!r}. {_empty(place)}"
    return f"There is no component {slug!r}; `kg map show` lists them."


def _facts(place: _Place) -> dict[str, object]:
    problem = place.state.problem
    return {
        "tree": place.state.tree,
        "files": list(place.state.files),
        "problem": problem.sentence if problem is not None else "",
    }


def _count(project_map: ProjectMap) -> str:
    return f"{counted(len(project_map.components), 'component')}, {counted(len(project_map.rules), 'rule')}"


def _whole(project_map: ProjectMap) -> list[str]:
    lines: list[str] = []
    for component, depth in walked(project_map):
        lines.append(component_line(component, depth))
        lines += [f"{indented(depth)}{line}" for rule in _of(project_map, component) for line in rule_lines(rule)]
    everywhere = [line for rule in project_map.rules_of.get("", ()) for line in rule_lines(rule)]
    return [
        *(["Components:", *lines] if lines else []),
        *(["Rules that hold everywhere:", *everywhere] if everywhere else []),
    ]


def _of(project_map: ProjectMap, component: Component) -> tuple[Rule, ...]:
    return project_map.rules_of.get(component.slug, ())


def _some(found: Applying, everywhere: Iterable[Rule]) -> list[str]:
    def listed(heading: str, lines: list[str]) -> Iterator[str]:
        yield from [heading, *lines] if lines else []

    return [
        *listed("Components:", [line for each in found.components for line in component_lines(each)]),
        *listed("They depend on:", [line for each in found.beside for line in component_lines(each)]),
        *listed("Rules:", [line for rule in found.rules for line in rule_lines(rule)]),
        *listed("Rules that hold everywhere:", [line for rule in everywhere for line in rule_lines(rule)]),
        *([f"No component has {', '.join(found.unmapped)}."] if found.unmapped else []),
    ]


def _rule_facts(rule: Rule) -> dict[str, object]:
    return {
        "component": rule.component,
        "severity": str(rule.severity),
        "title": rule.title,
        "statement": rule.statement,
        "rationale": rule.rationale,
        "source": rule.source,
    }


def _measure(harnesses: Iterable[Harness]) -> Callable[[str], str]:
    """Says in which client a line has no room in the reply to a tool's event."""
    limits = [
        (harness.title, room(harness, TextPath.EVENT, spec.carrier))
        for harness in harnesses
        for spec in harness.events
        if spec.kind is EventKind.AFTER_TOOL
    ]
    return lambda line: next(
        (title for title, limit in limits if limit.measure(line) > int(limit.maximum * MOST_OF_A_REPLY)), ""
    )


async def _moved(folder: Path, globs: Sequence[Glob], files: tuple[str, ...]) -> dict[str, str]:
    """What became of the files that patterns matched once, as git remembers it."""
    if not globs:
        return {}
    asked = ("-z", "--format=", "-n", _COMMITS, "HEAD")
    try:
        renamed = await quietly(folder, "log", "-M", "--diff-filter=R", "--name-status", *asked)
        deleted = await quietly(folder, "log", "-M", "--diff-filter=D", "--name-only", *asked)
    except GitFailed:
        return {}
    return await asyncio.to_thread(_told, globs, frozenset(files), renamed, deleted)


def _told(globs: Iterable[Glob], there: frozenset[str], renamed: str, deleted: str) -> dict[str, str]:
    renames = renames_of(renamed)
    gone = [path.lstrip("\n") for path in deleted.split("\0")]
    told: dict[str, str] = {}
    for glob in globs:
        to = next((new for old, new in renames if glob.matches(old) and new in there), "")
        if to:
            told[glob.text] = f"git has renamed what it matched, to {to} for one"
        elif any(map(glob.matches, gone)):
            told[glob.text] = "the files that it matched have been deleted"
    return told


async def _overtaken(place: _Place, project_map: ProjectMap) -> list[Finding]:
    """Sources that are gone, or younger than the map where git knows both."""
    paths = sources(project_map)
    gone = [path for path in paths if not os.path.lexists(place.tree / path)]
    changed: dict[str, str] = {}
    written = max([await _committed(place.tree, file) for file in place.state.files], default=("", ""))
    if written[0] and not await _is_edited(place.tree, place.state.files):
        for path in paths:
            at, day = await _committed(place.tree, path)
            if path not in gone and at > written[0]:
                changed[path] = day
    return overtaken(project_map, gone, changed)


async def _is_edited(folder: Path, files: Iterable[str]) -> bool:
    """Whether a file differs from what is committed of it, by more than its line ends."""
    # `git status` would answer this too, but first it runs the filters that the repository's own settings name.
    for path in (Path(file) for file in files if Path(file).is_relative_to(folder)):
        try:
            committed = await quietly(folder, "cat-file", "blob", f"HEAD:./{path.relative_to(folder).as_posix()}")
            now = await asyncio.to_thread(path.read_bytes)
        except (GitFailed, OSError):
            return True
        if now.decode("utf-8", "surrogateescape").replace("\r\n", "\n") != committed.replace("\r\n", "\n"):
            return True
    return False


async def _committed(folder: Path, path: str) -> tuple[str, str]:
    """When git last saw a file change, in seconds of equal length, and the day; empty for one that it does not know."""
    try:
        said = await quietly(folder, "--literal-pathspecs", "log", "-n", "1", "--format=%ct %cs", "--", path)
    except GitFailed:
        return "", ""
    at, _, day = said.strip().partition(" ")
    return at.zfill(12) if at else "", day
