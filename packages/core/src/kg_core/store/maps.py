"""The maps of projects, read again when their files change. A broken one never counts as none."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.model.projectmap import FOLDER, ProjectMap
from kg_core.store.files import replace_file
from kg_core.store.identity import is_path, is_same_folder, is_within, work_tree
from kg_core.store.layout import compact
from kg_core.store.maptext import BYTES, MapError, MapSource, parse_map
from kg_core.store.problems import Problem, ProblemKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kg_core.model import GraphKey, Millis
    from kg_core.store.disk import Disk
    from kg_core.store.files import Identity
    from kg_core.store.identity import Places
    from kg_core.store.projects import Project

FILE: Final = "map.toml"
LOOKED_FOR: Final = 1_000
"""Milliseconds for which a map is not looked at again."""
_REMEMBERED: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MapState:
    """The map that is in force for a work tree.

    ``tree`` is the folder that the patterns are relative to and ``files`` are those that the map was read from. With a
    ``problem`` the files say something else than ``map``, which is their last right version, or empty when there never
    was one.
    """

    map: ProjectMap = field(default_factory=ProjectMap)
    tree: str = ""
    files: tuple[str, ...] = ()
    problem: Problem | None = None


@dataclass(slots=True)
class _Held:
    """What was read of a work tree's map, from files of these identities."""

    identities: tuple[Identity | None, ...]
    state: MapState


@dataclass(slots=True)
class _Look:
    """The last look at the map of one folder of a project: when, and which work tree it lies in."""

    project: Project
    cwd: str
    at: Millis
    tree: Path
    running: asyncio.Task[None] | None = None


class Maps:
    """Reads maps beside the loop. The repository's map and the one beside the graph make one map together."""

    def __init__(self, disk: Disk, places: Places, clock: Callable[[], Millis]) -> None:
        self._disk = disk
        self._places = places
        self._clock = clock
        self._held: dict[tuple[GraphKey, Path], _Held] = {}
        self._looks: dict[tuple[GraphKey, str], _Look] = {}
        self._trees: dict[str, tuple[Millis, tuple[Path, Path] | None]] = {}

    async def look(self, project: Project, cwd: str, patience: float | None = None) -> MapState:
        """The map of the project, as the work tree around ``cwd`` has it.

        Looks at the files at most once a second, and waits ``patience`` seconds at most, in which case the answer is
        what is known already.
        """
        look = self._look(project, cwd)
        self._begin(look)
        if look.running is not None:
            await asyncio.wait((look.running,), timeout=patience)
        return self.known(project, cwd)

    async def anew(self, project: Project, cwd: str) -> MapState:
        """The map as its files are at this moment, for a person who may have just written them."""
        look = self._look(project, cwd)
        if look.running is not None:  # that one may have read before they were written
            await asyncio.wait((look.running,))
        look.at = self._clock() - LOOKED_FOR
        return await self.look(project, cwd)

    def known(self, project: Project, cwd: str) -> MapState:
        """What the last look found; an empty map before the first one."""
        look = self._looks.get((project.key, cwd))
        tree = look.tree if look is not None else project.root
        held = self._held.get((project.key, tree))
        return MapState(tree=str(tree)) if held is None else held.state

    def relative(self, project: Project, path: str, cwd: str) -> str:
        """A file's path relative to its work tree of this project, with ``/``; empty when it lies in none of them.

        Whether or not the file exists; cheap.
        """
        written = Path(self._places.home, path[2:]) if path.startswith("~/") else Path(cwd, path)
        if not is_path(str(written)) or not written.is_absolute():
            return ""
        folder, name = os.path.split(os.path.normpath(written))
        around = self._around(folder)
        real = Path(os.path.realpath(folder)) / name
        if around is not None and is_same_folder(around[1], project.root):
            return real.relative_to(around[0]).as_posix()
        return real.relative_to(project.root).as_posix() if real.is_relative_to(project.root) else ""

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with maps that were looked at. They are looked at anew meanwhile: they may have been mended."""
        for look in self._looks.values():
            if self.known(look.project, look.cwd).problem is not None:
                self._begin(look)
        return tuple(held.state.problem for held in self._held.values() if held.state.problem is not None)

    async def close(self) -> None:
        """End what is being looked at."""
        running = [look.running for look in self._looks.values() if look.running is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _around(self, folder: str) -> tuple[Path, Path] | None:
        """The work tree around a folder and the root of its checkout."""
        now = self._clock()
        known = self._trees.get(folder)
        if known is not None and 0 <= now - known[0] < LOOKED_FOR:
            return known[1]
        if len(self._trees) >= _REMEMBERED:
            self._trees.clear()
        around = work_tree(Path(os.path.realpath(folder)), self._places)
        found = None if around is None else (around[0], around[1].root)
        self._trees[folder] = (now, found)
        return found

    def _look(self, project: Project, cwd: str) -> _Look:
        """What is remembered of the looks at this folder's map."""
        look = self._looks.get((project.key, cwd))
        if look is None:
            if len(self._looks) >= _REMEMBERED:
                self._looks.clear()
            look = _Look(project, cwd, self._clock() - LOOKED_FOR, project.root)
            self._looks[project.key, cwd] = look
        return look

    def _begin(self, look: _Look) -> None:
        """Looks again, unless that was done within a second or is under way."""
        now = self._clock()
        if look.running is None and not 0 <= now - look.at < LOOKED_FOR:
            look.at = now
            look.running = asyncio.create_task(self._read(look))

    async def _read(self, look: _Look) -> None:
        """One look: finds the work tree, and reads what has changed."""
        try:
            look.tree, held = await self._disk.others(partial(self._found, look.project, look.cwd))
            if len(self._held) >= _REMEMBERED:
                self._held.clear()
            self._held[look.project.key, look.tree] = held
        finally:
            look.running = None

    def _found(self, project: Project, cwd: str) -> tuple[Path, _Held]:
        """The work tree around ``cwd`` and its map: what is held of it, if its files are the same. Blocking."""
        around = work_tree(Path(os.path.realpath(cwd)), self._places)
        tree = around[0] if around is not None else project.root
        held = self._held.get((project.key, tree))
        paths = (tree / FOLDER / FILE, self._disk.home.project(project.slug) / FILE)
        identities = self._identities(paths)
        if held is not None and held.identities == identities and held.state.problem is None:
            return tree, held
        return tree, _Held(identities, self._state(project.key, tree, paths, held.state if held is not None else None))

    def _identities(self, paths: Sequence[Path]) -> tuple[Identity | None, ...]:
        """What the files are; one that cannot be looked at is told apart from one that is not there when it is read."""
        found: list[Identity | None] = []
        for path in paths:
            try:
                found.append(self._disk.files.identity(path))
            except OSError:
                found.append(None)
        return tuple(found)

    def _state(self, key: GraphKey, tree: Path, paths: Sequence[Path], before: MapState | None) -> MapState:
        """What the files say now, or that they say nothing that could be used."""
        fault, sources = "", []
        for path in paths:
            try:
                text = self._text(path, tree if path is paths[0] else None)
            except (OSError, ValueError) as error:
                fault = f"{path} cannot be read ({getattr(error, 'strerror', None) or error})."
                break
            if text is not None:
                sources.append(MapSource(str(path), text))
        if not fault:
            try:
                found = parse_map(sources)
            except MapError as error:
                fault = error.sentence
            else:
                self._keep(key, tree, sources)
                return MapState(map=found, tree=str(tree), files=tuple(source.name for source in sources))
        last = before if before is not None and before.files else self._kept(key, tree)
        stays = "its last right version stays in force" if last.files else "NO rule is in force"
        sentence = f"The map of this project is broken, and {stays} until it is mended: {fault}"
        return replace(last, problem=Problem(kind=ProblemKind.MAP, path=str(paths[0]), sentence=sentence))

    def _copy(self, key: GraphKey, tree: Path) -> Path:
        named = hashlib.sha256(f"{key}\x00{tree}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return self._disk.home.maps / f"{named}.json"

    def _keep(self, key: GraphKey, tree: Path, sources: Sequence[MapSource]) -> None:
        """Keeps a right version for a server that starts later, best effort."""
        path, files = self._copy(key, tree), self._disk.files
        data = compact([[source.name, source.text] for source in sources])
        with contextlib.suppress(OSError):
            if not sources:
                files.remove(path)
            elif files.identity(path) is None or files.read(path) != data:
                files.make_folder(path.parent)
                replace_file(files, path, (data,))

    def _kept(self, key: GraphKey, tree: Path) -> MapState:
        """The last right version that was kept; an empty map when there is none."""
        try:
            sources = [
                MapSource(str(name), str(text))
                for name, text in json.loads(self._disk.files.read(self._copy(key, tree)))
            ]
            return MapState(map=parse_map(sources), tree=str(tree), files=tuple(source.name for source in sources))
        except (OSError, ValueError, TypeError, RecursionError, MapError):
            return MapState(tree=str(tree))

    def _text(self, path: Path, tree: Path | None) -> str | None:
        """The text of a file; ``None`` when there is none. One of a work tree may be a link within it: a repository
        must not lead us to other files. Raises OSError and ValueError.
        """
        if tree is not None and not is_within(path, tree):
            raise ValueError("it is a link that leads out of the work tree")
        identity = self._disk.files.identity(path)
        if os.path.lexists(path) and not path.is_file():
            raise ValueError("it is no file")
        if identity is None:
            return None
        if identity.size > BYTES:
            raise ValueError(f"it has more than {BYTES} bytes")
        return self._disk.files.read(path).decode("utf-8-sig")
