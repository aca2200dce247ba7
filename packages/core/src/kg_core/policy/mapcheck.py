"""What of a map reaches nobody, or has been overtaken: found in it and in the list of files, nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

from kg_core.model.globs import composed
from kg_core.model.projectmap import FOLDER, Severity, dependency_cycles
from kg_core.policy.rules import reached
from kg_core.render.rules import rule_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kg_core.model.globs import Glob
    from kg_core.model.projectmap import ProjectMap

_FOLDERS: Final = 8
"""So many folders with files that no component has are named."""
_CYCLE: Final = 12
"""So many components of a circle are named."""


class FindingKind(StrEnum):
    """What kind of finding it is; the first four keep rules from those they are meant for."""

    BROKEN = "broken"
    """The files do not make up a map."""
    NO_FILE = "no-file"
    """A pattern matches no file."""
    UNDELIVERABLE = "undeliverable"
    """A rule belongs to a component to which no file leads."""
    TOO_LONG = "too-long"
    """A rule is longer than what one reply may bring."""
    UNMAPPED = "unmapped"
    """Files without a component."""
    CYCLE = "cycle"
    """Components depend on each other in a circle."""
    SOURCE_GONE = "source-gone"
    """The file that a rule names as its source is not there."""
    SOURCE_CHANGED = "source-changed"
    """The file that a rule names as its source has changed since the map was last changed."""

    @property
    def is_problem(self) -> bool:
        """Whether rules do not reach those they are meant for; the others are worth a look."""
        return self in {FindingKind.BROKEN, FindingKind.NO_FILE, FindingKind.UNDELIVERABLE, FindingKind.TOO_LONG}


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: what it is about (a component's slug, a rule's title, a file) and a sentence on it."""

    kind: FindingKind
    about: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a work tree, relative to it. ``repositories`` are folders in it that have files of their own, which
    are not listed.
    """

    files: tuple[str, ...]
    repositories: tuple[str, ...] = ()

    def may_hold(self, glob: Glob) -> bool:
        """Whether what matches may lie in a repository within."""
        return any(
            glob.literal.startswith(f"{folder}/") or f"{folder}/".startswith(glob.literal)
            for folder in self.repositories
        )


def checked(
    project_map: ProjectMap, tree: Tree, moved: Mapping[str, str], too_long: Callable[[str], str]
) -> list[Finding]:
    """The findings that map and files give, problems first.

    ``moved`` says for a pattern's text what became of the files that it matched once, as the end of a sentence;
    ``too_long`` says where a rule's line has no room, or is empty.
    """
    found = [*_dead(project_map, tree, moved), *_unreached(project_map), *_long(project_map, too_long)]
    return [*found, *_unmapped(project_map, tree.files), *_cycles(project_map)]


def dead_globs(project_map: ProjectMap, tree: Tree) -> list[Glob]:
    """The patterns that match no file. Looks for each among the files that begin as it does."""
    paths = sorted(map(composed, tree.files))

    def holds(glob: Glob) -> bool:
        begin_so = takewhile(
            lambda path: path.startswith(glob.literal), islice(paths, bisect_left(paths, glob.literal), None)
        )
        return any(map(glob.matches, begin_so)) or tree.may_hold(glob)

    return [glob for component in project_map.components for glob in component.paths if not holds(glob)]


def _dead(project_map: ProjectMap, tree: Tree, moved: Mapping[str, str]) -> Iterator[Finding]:
    dead = set(dead_globs(project_map, tree))
    for component in project_map.components:
        for glob in component.paths:
            if glob in dead:
                what = moved.get(glob.text) or "look for a slip of the pen, or take it out"
                sentence = f"{glob.text!r} of component {component.slug} matches no file; {what}."
                yield Finding(FindingKind.NO_FILE, component.slug, sentence)


def _unreached(project_map: ProjectMap) -> Iterator[Finding]:
    known = reached(project_map)
    for rule in project_map.rules:
        if rule.component and rule.component not in known:
            sentence = (
                f"The rule {rule.title!r} comes with no file: component {rule.component} has no paths, and no "
                "component with paths depends on it."
            )
            yield Finding(FindingKind.UNDELIVERABLE, rule.title, sentence)


def _long(project_map: ProjectMap, too_long: Callable[[str], str]) -> Iterator[Finding]:
    for rule in project_map.rules:
        where = too_long(rule_line(rule)) if rule.severity is Severity.MUST else ""
        if where:
            sentence = f"The rule {rule.title!r} is longer than one reply in {where}; say it in fewer words."
            yield Finding(FindingKind.TOO_LONG, rule.title, sentence)


def _unmapped(project_map: ProjectMap, files: Sequence[str]) -> Iterator[Finding]:
    if not project_map.components:
        return
    has_component = _whether_mapped(project_map)
    counted = [path for path in files if not path.startswith(f"{FOLDER}/")]
    without = [path for path in counted if not has_component(composed(path))]
    if not without:
        return
    folders = Counter(_top(path) for path in without)
    named = [f"{folder} ({count})" for folder, count in sorted(folders.items(), key=lambda at: (-at[1], at[0]))]
    rest = len(named) - _FOLDERS
    more = ["1 more folder" if rest == 1 else f"{rest} more folders"] if rest > 0 else []
    have = "has" if len(without) == 1 else "have"
    sentence = f"{len(without)} of {len(counted)} files {have} no component: {', '.join([*named[:_FOLDERS], *more])}."
    yield Finding(FindingKind.UNMAPPED, "", sentence)


def _whether_mapped(project_map: ProjectMap) -> Callable[[str], bool]:
    """Tells whether a path has a component. Tries the patterns that begin as it does, however many there are."""
    beginning: dict[str, list[Glob]] = {}
    for glob in (glob for component in project_map.components for glob in component.paths):
        beginning.setdefault(glob.literal, []).append(glob)
    lengths = sorted({len(literal) for literal in beginning})

    def is_mapped(path: str) -> bool:
        return any(
            glob.matches(path)
            for length in takewhile(lambda length: length <= len(path), lengths)
            for glob in beginning.get(path[:length], ())
        )

    return is_mapped


def _top(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return f"{folder}/" if slash else "the top folder"


def _cycles(project_map: ProjectMap) -> Iterator[Finding]:
    for cycle in dependency_cycles(project_map.components):
        more = (f"{len(cycle) - _CYCLE} more",) if len(cycle) > _CYCLE else ()
        way = " → ".join((*cycle[:_CYCLE], *more, cycle[0]))
        yield Finding(
            FindingKind.CYCLE, cycle[0], f"depends_on goes in a circle: {way}. Rules still come one step far."
        )


def sources(project_map: ProjectMap) -> list[str]:
    """What rules name as sources and looks like a file of the code base, each once."""
    return list(dict.fromkeys(filter(None, (source_path(rule.source) for rule in project_map.rules))))


def source_path(source: str) -> str:
    """The file that a source names, without a line or heading behind it; empty for an address or mere words."""
    path = source.strip().partition("#")[0].removeprefix("./")
    head, _, line = path.rpartition(":")
    path = head if head and line.isdigit() else path
    is_file = "/" in path or "." in path.rpartition("/")[2].strip(".")
    return path if is_file and "://" not in path and not any(map(str.isspace, path)) else ""


def overtaken(project_map: ProjectMap, gone: Iterable[str], changed: Mapping[str, str]) -> list[Finding]:
    """Rules whose source is ``gone``, or has ``changed`` since (path → the day) the map was last changed."""
    missing = frozenset(gone)
    found: list[Finding] = []
    for rule in project_map.rules:
        path = source_path(rule.source)
        if path in missing:
            sentence = f"The source of the rule {rule.title!r}, {path}, is not there."
            found.append(Finding(FindingKind.SOURCE_GONE, rule.title, sentence))
        elif path in changed:
            sentence = (
                f"{path}, the source of the rule {rule.title!r}, was changed on {changed[path]}, after the map: see "
                "whether the rule still says the same."
            )
            found.append(Finding(FindingKind.SOURCE_CHANGED, rule.title, sentence))
    return found
