"""Fields of a lesson or an edge that somebody wrote by hand so that they have no meaning.

Reading keeps such a value, and writing writes it again until the field gets a usable one: see
:mod:`kg_core.model.codec`. Here it is put into words for the person.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_core.model.codec import edge_record, node_record
from kg_core.model.edge import Edge, EdgeKey
from kg_core.model.node import Kind, Status
from kg_core.model.visible import shows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kg_core.model.codec import Record
    from kg_core.model.graph import Graph
    from kg_core.model.node import Node

OddKey = str | EdgeKey
"""The id of a node, or the key of an edge."""

MOST_ODD: Final = 100
"""So many of one file or one change are remembered: who made more will mend them all in one go."""
_TEXT: Final = "a text"
_TEXTS: Final = "a text or a list of texts"
_TIME: Final = "a time such as 2026-01-31T12:00:00Z"
_NODE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "gist": _TEXT,
        "notes": _TEXTS,
        "touches": _TEXTS,
        "tags": _TEXTS,
        "status": f"one of {', '.join(Status)}",
        "kind": f"one of {', '.join(Kind)}",
        "observer": _TEXT,
        "observed": _TEXT,
        "locked": "true or false",
        "created": _TIME,
        "written": f'an object with "at" ({_TIME}), "by" and "author"',
        "conflicts": "a list of objects",
    }
)
_EDGE: Final[Mapping[str, str]] = MappingProxyType({"notes": _TEXTS, "created": _TIME, "by": _TEXT})
_LONGEST: Final = 80


def is_odd(value: Node | Edge) -> bool:
    """Whether there is anything to tell of it. Cheap for a value that has no unknown keys."""
    if isinstance(value, Edge):
        return bool(value.extra) and any(_unused(_EDGE, edge_record(value), value.extra))
    return not shows(value.gist) or (bool(value.extra) and any(_unused(_NODE, node_record(value), value.extra)))


def told(graph: Graph, key: OddKey) -> list[str]:
    """What is odd about a node or an edge of the graph, in words, one for each field; nothing when it is gone."""
    if isinstance(key, EdgeKey):
        edge = graph.edges.get(key)
        named = f"the edge {_named(key.source)} {_named(key.rel)} {_named(key.target)}"
        odd = [] if edge is None else list(_unused(_EDGE, edge_record(edge), edge.extra))
        return [f"`{name}` of {named} must be {_EDGE[name]}" for name in odd]
    node = graph.nodes.get(key)
    if node is None:
        return []
    odd = list(_unused(_NODE, node_record(node), node.extra))
    missing = [] if shows(node.gist) or "gist" in odd else [_without_gist(node)]
    return [*missing, *(f"`{name}` of {_named(key)} must be {_NODE[name]}" for name in odd)]


def kept_aside(node: Node) -> Node:
    """The node with what stood without meaning in a field under a name of its own, where the field says something now.

    So a write takes nothing of a person's text away that its writer was not shown.
    """
    record, extra = node_record(node), dict(node.extra)
    for name in _NODE:
        if name in extra and record.get(name) is not extra[name]:
            aside = f"{name} as it was"
            while aside in extra:
                aside += ", earlier"
            extra[aside] = extra.pop(name)
    return node if extra.keys() == node.extra.keys() else replace(node, extra=MappingProxyType(extra))


def _unused(wanted: Mapping[str, str], record: Record, extra: Mapping[str, object]) -> Iterator[str]:
    """The known fields whose value was kept without being understood, and still stands in the record."""
    return (name for name in wanted if name in extra and record.get(name) is extra[name])


def _without_gist(node: Node) -> str:
    named = _named(node.id)
    return f"`gist` of {named} has no visible character" if node.gist.strip() else f"{named} has no `gist`"


def _named(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
