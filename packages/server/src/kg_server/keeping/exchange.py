"""A team's exchange copies: ``.kg/graph.json`` in work trees, each kept in step with the one graph of its project.

A copy is read when it has changed and written when the graph has. Neither happens while git is at work in the tree,
and a copy that is not there is not made again: on this branch there is none.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.exchange.document import content, read_whole
from kg_core.exchange.team import continued, is_same, shared
from kg_core.model import Change, Graph
from kg_core.model.merge import dated, merge_part
from kg_core.model.projectmap import FOLDER
from kg_core.policy.activity import worked_on
from kg_core.policy.secrets import scrub_edge, scrub_node
from kg_core.store import OsFiles, ProblemKind, Write
from kg_core.store.files import replace_file
from kg_core.store.identity import first_line
from kg_core.store.reading import parts
from kg_core.store.regular import read_regular
from kg_core.store.slices import in_slices
from kg_plugin_api import Code, KgError
from kg_server.keeping.git import git_folder, is_busy

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.model import Edge, EdgeKey, GraphKey, Millis, Node
    from kg_core.store import Entry, Home
    from kg_core.store.files import Identity
    from kg_server.memory import Memory

FILE: Final = "graph.json"
LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a copy. Git packs a file of nothing into next to nothing, and here it would be read into memory."""
_TREES: Final = "team.json"
BY: Final = "team"
"""Who wrote an entry that takes over a copy."""


@dataclass(slots=True)
class _Copy:
    """A copy as it was last exchanged: the graph, the file's identity, and the value of ours that it was made of.

    ``is_new`` says that nothing was exchanged yet.
    """

    key: GraphKey
    base: Graph
    identity: Identity | None = None
    ours: Graph | None = None
    is_new: bool = False


class Exchange:
    """Keeps the copies that ``state/team.json`` lists in step."""

    def __init__(self, home: Home, memory: Memory, clock: Callable[[], Millis]) -> None:
        self._home = home
        self._memory = memory
        self._clock = clock
        self._files = OsFiles()
        self._listed: tuple[Identity | None, tuple[Path, ...]] = (None, ())
        self._copies: dict[Path, _Copy] = {}
        self._idle: dict[Path, Identity | None] = {}
        self._alone = asyncio.Lock()

    async def sync(self) -> list[dict[str, object]]:
        """Brings every copy and its graph together, as far as either has changed. What fails is a problem, told once.

        The outcome of each copy: its ``path``, ``changed`` (nodes taken over), ``conflicts`` and ``problem``.
        """
        async with self._alone:
            return [await self._guarded(tree) for tree in await self._trees()]

    async def graphs(self) -> frozenset[GraphKey]:
        """The graphs that have a copy."""
        async with self._alone:
            listed = await self._trees()
        found = (self._memory.store.projects.resolve(str(tree)) for tree in listed)
        return frozenset(project.key for project in found if project is not None)

    async def _guarded(self, tree: Path) -> dict[str, object]:
        path = tree / FOLDER / FILE
        outcome: dict[str, object] = {"path": str(path), "changed": 0, "conflicts": [], "problem": ""}
        try:
            outcome.update(await self._sync(tree))
        except KgError as failure:
            outcome["problem"] = failure.sentence
        except OSError as failure:
            outcome["problem"] = f"{path} cannot be used ({failure.strerror or failure})."
        if outcome["problem"]:
            project = self._memory.store.projects.resolve(str(tree))
            graph = "" if project is None else project.key
            self._memory.store.report(ProblemKind.BESIDE, path, str(outcome["problem"]), graph=graph)
        else:
            self._memory.store.solved(ProblemKind.BESIDE, path)
        return outcome

    async def _sync(self, tree: Path) -> dict[str, object]:
        path = tree / FOLDER / FILE
        git = git_folder(tree)
        if git is not None and is_busy(git):
            return {}
        identity = await asyncio.to_thread(self._identity, path)
        known = self._copies.get(path) or await self._known(path, tree, identity)
        if known is None or (identity is None and not known.is_new):
            return {}
        if known.is_new and git is None:  # its repository is gone, and the project is that of a folder around it
            return {}
        if known.is_new and git is not None and not await asyncio.to_thread(_takes_part, git):
            sentence = f"{tree} holds another repository than the one that shared its memory."
            raise KgError(
                Code.CONFLICT,
                f"{sentence} Run `kg setup --team` there if this one is to share its own, or with --off if not.",
            )
        await self._memory.load(known.key)
        if identity == known.identity and self._memory.durable(known.key) is known.ours:
            return {}
        copy, changed, conflicts = known.base, 0, list[str]()
        data: bytes | None = None
        if identity is not None and identity != known.identity:
            data = await asyncio.to_thread(_bytes, path)
            copy = await _clean(await read_whole(data, str(path), known.key, known.base), known.base)
            changed, conflicts = await self._merge(known, copy)
        await self._write(path, known, identity, copy, data)
        return {"changed": changed, "conflicts": conflicts}

    async def _merge(self, known: _Copy, copy: Graph) -> tuple[int, list[str]]:
        """Takes over what others have made of the copy, as writes like any other."""
        theirs = continued(known.base, copy)
        written: list[asyncio.Future[Entry]] = []
        conflicts: list[str] = []
        changed = 0
        async for part in in_slices(parts(known.base, theirs)):
            ours = self._memory.pending(known.key)
            change, in_conflict = merge_part(known.base, ours, theirs, part)
            conflicts += in_conflict
            if change:
                at = self._clock()
                changed += len(change.nodes)
                change = worked_on(dated(change, at), ours, at, BY)
                written.append(self._memory.commit(Write(by=BY, at=at, changes=(change,))))
        await asyncio.gather(*written)
        return changed, conflicts

    async def _write(
        self, path: Path, known: _Copy, identity: Identity | None, copy: Graph, data: bytes | None
    ) -> None:
        """Puts what is shared in the place of ``copy``, unless it holds just that or somebody has changed it meanwhile.

        ``data`` is what it holds when it is not what we wrote last.
        """
        ours, whole = self._memory.durable(known.key), self._memory.store.whole(known.key)
        now = await _clean(shared(whole, copy), known.base)
        chunks = await content(now)
        is_ours = identity is not None and data is None and is_same(now, known.base)
        if not is_ours and data != b"".join(chunks):
            identity = await asyncio.to_thread(self._place, path, chunks, identity)
            if identity is None:
                return  # somebody was faster: the next round reads what has come
        await asyncio.to_thread(self._keep, path, known.key, chunks)
        self._copies[path] = _Copy(key=known.key, base=now, identity=identity, ours=ours)

    def _place(self, path: Path, chunks: list[bytes], identity: Identity | None) -> Identity | None:
        """The new file's identity; ``None`` when the file is no longer the one that was read. A copy is public."""
        path.parent.mkdir(mode=0o755, exist_ok=True)
        temporary = path.with_name(f".{path.name}.tmp")  # one name: what a kill leaves is gone with the next write
        temporary.unlink(missing_ok=True)  # a repository may have a link there, which would be written through
        try:
            self._files.write(temporary, chunks)
            temporary.chmod(0o644)
            if self._identity(path) != identity:
                return None
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        return self._files.identity(path)

    def _identity(self, path: Path) -> Identity | None:
        """Raises OSError for a link, as a repository must not lead us to other files, and for what is no file of a size
        that a memory may have.
        """
        if path.is_symlink() or path.parent.is_symlink():
            raise OSError(None, "it is a symbolic link", str(path))
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            _check(path.stat(), path)
        return self._files.identity(path)

    async def _known(self, path: Path, tree: Path, identity: Identity | None) -> _Copy | None:
        """What was exchanged with this copy before the server started; nothing in a new one.

        ``None`` when there is nothing to do: a graph that nobody has asked for yet is not loaded for a copy that is
        just as we left it.
        """
        project = self._memory.store.projects.resolve(str(tree))
        if project is None:
            return None
        is_loaded = project.key in self._memory.loaded
        if not is_loaded and identity is not None and self._idle.get(path) == identity:
            return None
        record = self._record(path, project.key)
        try:
            data = await asyncio.to_thread(record.read_bytes)
            if not is_loaded and identity is not None and data == await asyncio.to_thread(_bytes, path):
                self._idle[path] = identity
                return None
            return _Copy(key=project.key, base=await read_whole(data, str(record), project.key))
        except (OSError, KgError):
            return _Copy(key=project.key, base=Graph(key=project.key), is_new=True)

    def _keep(self, path: Path, key: GraphKey, chunks: list[bytes]) -> None:
        record = self._record(path, key)
        self._files.make_folder(record.parent)
        replace_file(self._files, record, chunks)

    def _record(self, path: Path, key: GraphKey) -> Path:
        """Where the base is kept. A work tree that has become another project's starts anew."""
        name = hashlib.sha256(f"{path}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._home.state / "team" / f"{name}.json"

    async def _trees(self) -> tuple[Path, ...]:
        """The work trees that take part."""
        listed = self._home.state / _TREES
        identity = await asyncio.to_thread(self._files.identity, listed)
        if identity != self._listed[0]:
            before = self._listed[1]
            self._listed = identity, await asyncio.to_thread(trees, self._home)
            for gone in set(before).difference(self._listed[1]):  # what was wrong with its copy concerns nobody now
                self._memory.store.solved(ProblemKind.BESIDE, gone / FOLDER / FILE)
            self._copies = {path: known for path, known in self._copies.items() if path.parents[1] in self._listed[1]}
        return self._listed[1]


def trees(home: Home) -> tuple[Path, ...]:
    """The work trees that take part in an exchange; none when nothing can be read. Blocking."""
    return listed_trees(home.state / _TREES)


def write_trees(home: Home, listed: tuple[Path, ...]) -> None:
    """Says which work trees take part. Blocking; raises OSError."""
    write_listed(home, _TREES, listed)


def listed_trees(file: Path) -> tuple[Path, ...]:
    """The work trees that a file lists; none when nothing can be read. Blocking."""
    try:
        listed = json.loads(read_regular(file))["trees"]
        return tuple(Path(tree) for tree in listed if isinstance(tree, str))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()


def write_listed(home: Home, name: str, listed: tuple[Path, ...]) -> None:
    """Lists work trees in a file of the state. Blocking; raises OSError."""
    files = OsFiles()
    files.make_folder(home.state)
    replace_file(files, home.state / name, (json.dumps({"trees": [str(tree) for tree in listed]}).encode(),))


def _bytes(path: Path) -> bytes:
    """A copy's content, of the file that is there now: a pipe would keep whoever opens it waiting for ever.

    Blocking; raises OSError.
    """
    more = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | more)) as file:
        _check(os.fstat(file.fileno()), path)
        return file.read()


def _takes_part(git: Path) -> bool:
    """Whether somebody ran ``kg setup --team`` in the repository with this git folder: its settings name our driver.

    Blocking; raises OSError.
    """
    common = git / (first_line(git / "commondir") or ".")
    return '[merge "kg"]' in read_regular(common / "config").decode("utf-8", "replace")


def _check(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(None, "it is no file", str(path))
    if status.st_size > LARGEST:
        raise OSError(None, f"it has more than {LARGEST:,} bytes", str(path))


async def _clean(copy: Graph, base: Graph) -> Graph:
    """The copy without secrets in what is new since ``base``: it comes from others, or goes to them."""
    nodes: dict[str, Node | None] = {}
    edges: dict[EdgeKey, Edge | None] = {}
    async for node_id, node in in_slices(copy.nodes.items()):
        if base.nodes.get(node_id) is not node and (clean := scrub_node(node)) is not node:
            nodes[node_id] = clean
    async for key, edge in in_slices(copy.edges.items()):
        if base.edges.get(key) is not edge and (plain := scrub_edge(edge)) is not edge:
            edges[key] = plain
    return copy.apply(Change(graph=copy.key, nodes=nodes, edges=edges)) if nodes or edges else copy
