"""Backups and exports of the whole memory as it is at one moment."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.exchange import archive
from kg_core.exchange.archive import Member
from kg_core.exchange.document import both_files, content
from kg_core.model import MAINTAIN, USER, Graph, to_iso
from kg_core.store.identity import is_path
from kg_core.store.layout import compact
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kg_core.model import GraphKey, Millis
    from kg_core.store import Home
    from kg_server.memory import Memory

KEPT: Final = 10
"""Backups that are kept in the memory's own folder; a backup with a name of its own is never removed."""
_PREFIX: Final = "memory-"
_SUFFIX: Final = ".tar.gz"


class Copies:
    """Copies of the memory. Reading the values takes one step of the loop; writing them out happens beside it."""

    def __init__(self, home: Home, memory: Memory, clock: Callable[[], Millis], version: str) -> None:
        self._home = home
        self._memory = memory
        self._clock = clock
        self._version = version

    async def backup(self, place: str = "") -> dict[str, object]:
        """Writes a backup to the absolute path ``place``, which must be free, else into the memory's own folder.

        Raises CONFLICT when the file exists, INVALID for a relative path, UNAVAILABLE when it cannot be written.
        """
        at = self._clock()
        path = Path(place) if place else self._own(at)
        if not (path.is_absolute() and is_path(str(path))):
            raise KgError(Code.INVALID, f"{place[:200]!r} is no absolute path.")
        if place and os.path.lexists(path):
            raise KgError(Code.CONFLICT, f"{path} exists. Name another file, or remove it first.", {"path": str(path)})
        graphs = await self._all()
        members: list[Member] = []
        for key, graph in graphs.items():
            files = await both_files(graph)
            name = self._home.graph(key).relative_to(self._home.memory).as_posix()
            members.append(Member(name, tuple(files[0])))
            members.append(Member(name.removesuffix(".json") + ".use.json", tuple(files[1])))
        counts = {key: len(graph.nodes) for key, graph in graphs.items()}
        manifest = {"created": to_iso(at), "version": self._version, "nodes": counts}
        try:
            size = await asyncio.to_thread(self._write, path, members, manifest, at)
        except OSError as error:
            raise KgError(
                Code.UNAVAILABLE, f"{path} cannot be written ({error.strerror or error}).", {"path": str(path)}
            ) from error
        return {"path": str(path), "bytes": size, "nodes": counts}

    async def export(self, cwd: str, level: str) -> list[bytes]:
        """The memory as JSON, in pieces: every graph, or the one that ``level`` names for the folder ``cwd``.

        Raises INVALID for a level that is none, or when the folder belongs to no project.
        """
        if level:
            key = self._level(cwd, level)
            await self._memory.load(key)
            graphs = {key: self._memory.store.whole(key)}
        else:
            graphs = {key: graph for key, graph in (await self._all()).items() if graph.nodes or key == USER}
        projects = self._memory.store.projects.all()
        roots = {project.key: str(project.root) for project in projects if project.root.is_absolute()}
        pieces = [b'{"format":1,"graphs":{']
        for number, (key, graph) in enumerate(graphs.items()):
            head = compact(key) + b":{" + (b'"root":' + compact(roots[key]) + b"," if key in roots else b"")
            body = await content(graph)
            pieces += [b"," if number else b"", head, body[0].lstrip(b"{\n "), *body[1:]]
        return [*pieces, b"}}\n"]

    async def _all(self) -> dict[GraphKey, Graph]:
        """Every graph there is, as all of them are at one moment."""
        projects = [project.key for project in self._memory.store.projects.all()]
        keys = [
            key for key in (USER, MAINTAIN, *projects) if key == USER or await asyncio.to_thread(self._is_there, key)
        ]
        await self._memory.store.look()
        await self._memory.store.snapshot()
        for key in keys:
            await self._memory.store.load(key)
        return {key: self._memory.store.whole(key) for key in keys}

    def _is_there(self, key: GraphKey) -> bool:
        return self._home.graph(key).exists() or key in self._memory.loaded

    def _level(self, cwd: str, level: str) -> GraphKey:
        if level in {USER, MAINTAIN}:
            return level
        project = self._memory.store.projects.resolve(cwd) if level == "project" else None
        if project is None:
            raise KgError(
                Code.INVALID, f"{cwd} belongs to no project." if level == "project" else f"No level {level!r}."
            )
        return project.key

    def _own(self, at: Millis) -> Path:
        moment = to_iso(at).replace(":", "").replace("-", "").replace(".", "")
        return self._home.state / "backups" / f"{_PREFIX}{moment}{_SUFFIX}"

    def _write(self, path: Path, members: Sequence[Member], manifest: Mapping[str, object], at: Millis) -> int:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        archive.write(path, [*members, *self._beside()], manifest, at)
        newest = self._own(at)
        found = newest.parent.glob(f"{_PREFIX}*{_SUFFIX}")
        # One that names a time to come was made before the clock was set back: it is none of the newest.
        own = sorted(found, key=lambda each: (each.name <= newest.name, each.name))
        unfinished = newest.parent.glob(f".{_PREFIX}*{_SUFFIX}.*.tmp")  # by a server that was killed, unless it is ours
        for old in (*own[:-KEPT], *(each for each in unfinished if f".{os.getpid()}." not in each.name)):
            with contextlib.suppress(OSError):
                old.unlink()
        return path.stat().st_size

    def _beside(self) -> list[Member]:
        """Registrations and maps of the projects, which people edit, and the files of what has aged. What is no file
        in the place of one is left out: a pipe may never end.
        """
        found = [path for name in ("project.toml", "map.toml") for path in self._home.projects.glob(f"*/{name}")]
        aged = self._home.aged(USER).parent
        levels = [self._home.aged(key) for key in (USER, MAINTAIN)]
        found += [*levels, *aged.glob("projects/*/graph.json")]
        files = sorted(path for path in found if path.is_file())
        return [Member(path.relative_to(self._home.memory).as_posix(), (path.read_bytes(),)) for path in files]
