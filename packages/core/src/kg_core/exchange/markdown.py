"""A graph as Markdown that people read: a list item for each lesson, its reasons and relations below it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kg_core.render import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.model import Graph, Node

_INDENT: Final = "  "
_BREAKS: Final = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")


def exported(graph: Graph, title: str) -> str:
    """The lessons of a graph in the order of their ids, under one heading."""
    lines = [f"# {title}", ""]
    for node_id in sorted(graph.nodes):
        lines += _lesson(graph.nodes[node_id], graph)
    return "\n".join(lines) + "\n"


def _lesson(node: Node, graph: Graph) -> Iterator[str]:
    yield f"- **{node.id}**: {one_line(node.gist)}"
    for note in node.notes:
        first, *rest = _BREAKS.split(note)
        yield f"{_INDENT}- {first}"
        yield from (f"{_INDENT * 2}{line}" for line in rest)
    facts = [("about", node.touches), ("tags", node.tags)]
    if node.status.value != "current":
        facts.append(("status", (node.status.value,)))
    yield from (f"{_INDENT}- {name}: {', '.join(map(one_line, values))}" for name, values in facts if values)
    for edge in graph.edges_of(node.id):
        if edge.source == node.id:
            reasons = f" ({'; '.join(map(one_line, edge.notes))})" if edge.notes else ""
            yield f"{_INDENT}- → {edge.rel} → {one_line(edge.target)}{reasons}"
