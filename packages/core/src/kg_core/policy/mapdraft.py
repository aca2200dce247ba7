"""A map to begin with, from what a code base says of itself: its folders, workspace manifests and code owners."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kg_core.model.globs import Glob
from kg_core.model.ids import fold, propose
from kg_core.model.projectmap import Component
from kg_core.model.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_MANIFESTS: Final = ("pyproject.toml", "package.json", "Cargo.toml", "go.mod", "go.work")
_OWNERS: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
_CONTAINERS: Final = frozenset(
    {"src", "packages", "apps", "libs", "lib", "crates", "services", "modules", "internal", "cmd", "pkg"}
)
"""Folders whose sub-folders are what a person would call the parts."""
_MOST: Final = 60
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_GO_PATH: Final = re.compile(r"^\s*(?:use|require)?\s*(\.?[\w./@-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Member:
    """A package of a workspace, as its manifest has it."""

    name: str = ""
    description: str = ""
    needs: frozenset[str] = frozenset()


def wanted(files: Iterable[str]) -> list[str]:
    """Which of the files :func:`drafted` would like to read."""
    return [path for path in files if path.rpartition("/")[2] in _MANIFESTS or path in _OWNERS]


def drafted(files: Sequence[str], texts: Mapping[str, str]) -> tuple[Component, ...]:
    """Components for a map, without any rule: the members of a workspace, or else the folders; and the folders that
    have owners. ``texts`` holds what could be read of the files that are :func:`wanted`.

    What cannot be understood is left out; the same files give the same components.
    """
    folders = _folders(files)
    members = _members(folders, texts)
    owned = _owners(texts)
    places = [*members] or _parts(folders)
    places += [folder for folder in _owned_folders(owned, folders) if folder not in places]
    places = places[:_MOST]
    slugs = _slugs(places)
    by_name = {member.name: slugs[place] for place, member in members.items() if member.name and place in slugs}
    return tuple(
        Component(
            slug=slugs[place],
            name=member.name if member.name != slugs[place] else "",
            responsibility=member.description,
            paths=(Glob.of(f"{place}/**"),),
            depends_on=tuple(sorted(by_name[name] for name in member.needs if name in by_name and name != member.name)),
            owner=_owner(owned, place),
        )
        for place in places
        for member in (members.get(place, _Member()),)
    )


def _folders(files: Iterable[str]) -> dict[str, int]:
    """Every folder that holds a file, however deep, with their number; none whose name begins with a dot."""
    found: dict[str, int] = {}
    for path in files:
        parts = path.split("/")[:-1]
        if not any(part.startswith(".") for part in parts):
            for depth in range(1, len(parts) + 1):
                folder = "/".join(parts[:depth])
                found[folder] = found.get(folder, 0) + 1
    return found


def _parts(folders: Mapping[str, int]) -> list[str]:
    """The topmost folders, and of those that only hold others, what they hold."""
    parts: list[str] = []
    for top in _below("", folders):
        inner = _below(top, folders) if top in _CONTAINERS else []
        while len(inner) == 1 and (deeper := _below(inner[0], folders)):
            inner = deeper
        parts += inner or [top]
    return parts


def _below(folder: str, folders: Iterable[str]) -> list[str]:
    above = f"{folder}/" if folder else ""
    return sorted(
        each for each in folders if each.startswith(above) and "/" not in each[len(above) :] and each != above
    )


def _members(folders: Mapping[str, int], texts: Mapping[str, str]) -> dict[str, _Member]:
    """The members of all workspaces at the top, by folder."""
    python, node, rust = _toml(texts, "pyproject.toml"), _json(texts, "package.json"), _toml(texts, "Cargo.toml")
    uses = _GO_PATH.findall(re.sub(r"//.*", "", texts.get("go.work", "").replace("use (", "").replace(")", "")))
    declared: tuple[tuple[str, object, Callable[[Mapping[str, str], str], _Member]], ...] = (
        ("pyproject.toml", _at(python, "tool", "uv", "workspace", "members"), _python),
        ("package.json", _at(node, "workspaces", "packages") or _at(node, "workspaces"), _node),
        ("Cargo.toml", _at(rust, "workspace", "members"), _rust),
        ("go.mod", [use for use in uses if use.startswith(".")], _go),
    )
    found: dict[str, _Member] = {}
    for manifest, patterns, read in declared:
        for pattern in _texts(patterns):
            for folder in _matching(pattern, folders):
                if f"{folder}/{manifest}" in texts:
                    found.setdefault(folder, read(texts, f"{folder}/{manifest}"))
    return dict(sorted(found.items()))


def _matching(pattern: str, folders: Iterable[str]) -> list[str]:
    try:
        glob = Glob.of(pattern.strip().rstrip("/"))
    except ValueError:
        return []
    return [folder for folder in folders if glob.matches(folder) and (not glob.is_literal or folder == glob.text)]


def _python(texts: Mapping[str, str], path: str) -> _Member:
    table = _toml(texts, path)
    needed = (_REQUIREMENT.match(text.strip()) for text in _texts(_at(table, "project", "dependencies")))
    return _Member(
        _normal(_text(_at(table, "project", "name"))),
        _text(_at(table, "project", "description")),
        frozenset(_normal(found[0]) for found in needed if found),
    )


def _node(texts: Mapping[str, str], path: str) -> _Member:
    table = _json(texts, path)
    needed = (_at(table, key) for key in ("dependencies", "devDependencies", "peerDependencies"))
    return _Member(
        _text(table.get("name")),
        _text(table.get("description")),
        frozenset(name for each in needed for name in _keys(each)),
    )


def _rust(texts: Mapping[str, str], path: str) -> _Member:
    table = _toml(texts, path)
    needed = (_at(table, key) for key in ("dependencies", "dev-dependencies", "build-dependencies"))
    return _Member(
        _text(_at(table, "package", "name")),
        _text(_at(table, "package", "description")),
        frozenset(name for each in needed for name in _keys(each)),
    )


def _go(texts: Mapping[str, str], path: str) -> _Member:
    module = re.search(r"^module\s+(\S+)", texts[path], re.MULTILINE)
    return _Member(module[1] if module else "", "", frozenset(_GO_PATH.findall(texts[path])))


def _owners(texts: Mapping[str, str]) -> list[tuple[str, Glob, str]]:
    """The lines of the first CODEOWNERS file: the folder that is named, the pattern, the owners."""
    text = next((texts[path] for path in _OWNERS if path in texts), "")
    found: list[tuple[str, Glob, str]] = []
    for line in text.splitlines():
        pattern, *owners = line.split("#")[0].split() or [""]
        if owners and pattern.strip("*") and not pattern.startswith(("[", "^")):
            named = pattern.strip("/").removesuffix("/**").removesuffix("/*")
            anchored = pattern if "/" in pattern.rstrip("/") else f"**/{pattern}"
            try:
                found.append((named, Glob.of(anchored.rstrip("/")), " ".join(owners)))
            except ValueError:
                continue
    return found


def _owned_folders(owned: Iterable[tuple[str, Glob, str]], folders: Mapping[str, int]) -> list[str]:
    return list(dict.fromkeys(named for named, _, _ in owned if named in folders))


def _owner(owned: Iterable[tuple[str, Glob, str]], folder: str) -> str:
    """Who owns what lies in a folder, by the last line that says so."""
    said = [
        owners
        for named, glob, owners in owned
        if named == folder or glob.matches(folder) or glob.matches(f"{folder}/x")
    ]
    return said[-1] if said else ""


def _slugs(places: Iterable[str]) -> dict[str, str]:
    """A slug for each place: its name, with as much of what is above it as is needed to be the only one."""
    slugs: dict[str, str] = {}
    taken: set[str] = set()
    for place in places:
        parts = place.split("/")
        names = [propose("-".join(parts[-depth:])) for depth in range(1, len(parts) + 1)]
        names += (f"{names[-1]}-{number}" for number in range(2, _MOST + 2))
        slugs[place] = next(name for name in names if fold(name) not in taken)
        taken.add(fold(slugs[place]))
    return slugs


def _toml(texts: Mapping[str, str], path: str) -> Mapping[str, Any]:
    try:
        return read_toml(texts.get(path, ""))
    except (ValueError, RecursionError):
        return {}


def _json(texts: Mapping[str, str], path: str) -> Mapping[str, Any]:
    try:
        found = json.loads(texts.get(path, ""))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _at(table: object, *keys: str) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _texts(value: object) -> Iterator[str]:
    return (each for each in (value if isinstance(value, list) else []) if isinstance(each, str))


def _keys(value: object) -> Iterator[str]:
    return iter(value if isinstance(value, dict) else ())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
