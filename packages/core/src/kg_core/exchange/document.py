"""Graph files as a whole: bytes to a graph and back, in the form that the store writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import USER, Graph, GraphKey
from kg_core.store.reading import Reading, conflict_sides, read_graph
from kg_core.store.sheet import Sheet
from kg_core.store.slices import others_turn
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from kg_core.model import Use


async def content(graph: Graph) -> list[bytes]:
    """The content file of a graph, in pieces, as the store would write it."""
    pieces, _ = await _content(graph)
    return pieces


async def both_files(graph: Graph) -> tuple[list[bytes], list[bytes]]:
    """The content file and the file of use."""
    pieces, sheet = await _content(graph)
    return pieces, await sheet.use()


async def _content(graph: Graph) -> tuple[list[bytes], Sheet]:
    """The content file, and the sheet that it was made from."""
    sheet = await Sheet.of(graph)
    await others_turn()
    pieces = await sheet.content(graph.extra)
    await others_turn()
    return pieces, sheet


async def read_whole(data: bytes, what: str, key: GraphKey = USER, known: Graph | None = None) -> Graph:
    """The graph of a file that must be sound; one with conflict markers holds both sides.

    ``what`` names the file in the error: INVALID when it cannot be read whole, READ_ONLY when a later version of kg
    wrote it. An empty file is an empty graph.
    """
    if not data.strip():
        return Graph(key=key)
    reading: Reading = await read_graph(key, data, known)
    if reading.is_newer:
        raise KgError(Code.READ_ONLY, f"{what} has format {reading.format}, written by a later version of kg.")
    if reading.damage and conflict_sides(data) is None:
        raise KgError(Code.INVALID, f"{what} is no sound graph file: {reading.damage}.")
    return reading.graph


def with_use(graph: Graph, uses: dict[str, Use]) -> Graph:
    """The graph with the use of its nodes."""
    return Graph.build(
        graph.key,
        nodes=graph.nodes,
        use={node_id: use for node_id, use in uses.items() if node_id in graph.nodes},
        edges=graph.edges,
        tombstones=graph.tombstones,
        progress=graph.progress,
        extra=graph.extra,
    )
