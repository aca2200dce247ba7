"""The files of what has aged: one beside each graph, in the same form. Nothing is ever taken out of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from kg_core.model import Change, Graph
from kg_core.model.merge import Part, merge_part
from kg_core.model.steps import freed_steps
from kg_core.store.failures import read_failure, write_failure
from kg_core.store.files import replace_file
from kg_core.store.reading import read_graph
from kg_core.store.sheet import Sheet
from kg_core.store.slices import in_turns, others_turn
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from pathlib import Path

    from immutables import Map

    from kg_core.model import GraphKey
    from kg_core.store.disk import Disk
    from kg_core.store.files import Identity
    from kg_core.store.journal import Journal


@dataclass(frozen=True, slots=True)
class Aged:
    """Adds to these files."""

    disk: Disk
    journal: Journal

    def path(self, key: GraphKey) -> Path:
        """Where what has aged in a graph stands, or would stand."""
        return self.disk.home.aged(key)

    async def keep(self, aged: Graph) -> bool:
        """Adds nodes and edges to the file of their graph; once it returns true they are on the disk.

        What the file holds of them already is merged with them. False when somebody changed the file meanwhile.
        Raises INVALID for a damaged file and READ_ONLY for one that a later version wrote, which stay as they are; and
        what the operating system refuses, as a write does.
        """
        path = self.path(aged.key)
        identity, data = await self._found(path)
        content = await self._content(path, data, aged)
        try:
            await self.disk.journal(self.journal.check)
            return await self.disk.run(partial(self._write, path, identity, content))
        except OSError as error:
            raise write_failure(error, path) from error

    async def _content(self, path: Path, data: bytes, aged: Graph) -> list[bytes]:
        """The new content of the file. What it is made of may be large, and is let go of in short steps as well."""
        held = _added(await self._read(path, data, aged.key), aged)
        content = await (await Sheet.of(held)).content(held.extra)
        await others_turn()
        maps: list[Map[Any, Any]] = [held.nodes, held.edges, held.incident, held.folded, held.tiers]
        del held
        while maps:
            items = list(maps.pop().items())
            await others_turn()
            await in_turns(freed_steps(items))
        return content

    async def _read(self, path: Path, data: bytes, key: GraphKey) -> Graph:
        if not data.strip():
            return Graph(key=key)
        reading = await read_graph(key, data)
        if reading.is_newer:
            raise KgError(Code.READ_ONLY, f"{path} has format {reading.format}, written by a later version of kg.")
        if reading.damage:
            raise KgError(Code.INVALID, f"{path} is no sound graph file: {reading.damage}.")
        return reading.graph

    async def _found(self, path: Path) -> tuple[Identity | None, bytes]:
        def read() -> tuple[Identity | None, bytes]:
            identity = self.disk.files.identity(path)
            return identity, b"" if identity is None else self.disk.files.read(path)

        try:
            return await self.disk.run(read)
        except OSError as error:
            raise read_failure(error, path) from error

    def _write(self, path: Path, identity: Identity | None, content: list[bytes]) -> bool:
        self.disk.files.make_folder(path.parent)
        if self.disk.files.identity(path) != identity:
            return False
        replace_file(self.disk.files, path, content)
        return True


def _added(held: Graph, aged: Graph) -> Graph:
    """What is held, with what ages on top: of a node that is in both, the older content is set aside."""
    same = Graph.build(
        held.key,
        nodes={node_id: held.nodes[node_id] for node_id in aged.nodes if node_id in held.nodes},
        edges={key: held.edges[key] for key in aged.edges if key in held.edges},
    )
    part = Part(ids=tuple(aged.nodes), edges=tuple(aged.edges))
    change, _ = merge_part(Graph(key=held.key), aged, same, part)
    both = aged.apply(change)
    return held.apply(Change(graph=held.key, nodes=both.nodes, edges=both.edges))
