"""The memory of the official MCP memory server: one JSON object a line, entities and relations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from kg_core.exchange.found import Found, Portion, Skipped
from kg_core.exchange.naming import Names, rel_of, tag_of
from kg_core.model import USER, Edge, Graph, Node, Written
from kg_core.model.visible import shows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.exchange.found import File
    from kg_core.model import Millis

FORMAT: Final = "mcp-memory"
_BY: Final = "import"


def is_one(file: File) -> bool:
    """Whether the first line that holds anything is an entity or a relation."""
    first = next((line for line in file.text().split("\n") if line.strip()), "")
    record = _record(first)
    return record is not None and record.get("type") in {"entity", "relation"}


def read(file: File) -> Found:
    """An entity becomes a node: its first observation completes the gist, the others are notes.

    The file has no times: its own time is that of every entity.
    """
    skipped: list[Skipped] = []
    entities: dict[str, dict[str, Any]] = {}
    relations: list[tuple[str, dict[str, Any]]] = []
    for number, line in enumerate(file.text().split("\n"), 1):
        where = f"line {number}"
        record = _record(line)
        if record is None:
            if line.strip():
                skipped.append(Skipped(where, "it is no JSON object"))
        elif record.get("type") == "entity" and shows(_text(record, "name")):
            name = _text(record, "name")
            if name in entities:
                skipped.append(Skipped(where, f"a second entity {name!r}; its observations were added to the first"))
                entities[name] = {**entities[name], "observations": [*_texts(entities[name]), *_texts(record)]}
            else:
                entities[name] = record
        elif record.get("type") == "relation":
            relations.append((where, record))
        else:
            skipped.append(Skipped(where, "it is neither an entity with a name nor a relation"))
    names = Names(entities)
    nodes = {names[name]: _node(names[name], name, entity, file.modified) for name, entity in entities.items()}
    edges = {edge.key: edge for edge in _edges(relations, names, file.modified, skipped)}
    graph = Graph.build(USER, nodes=nodes, edges=edges)
    return Found(format=FORMAT, portions=(Portion(graph=graph),), skipped=tuple(skipped))


def _record(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _node(node_id: str, name: str, entity: dict[str, Any], modified: Millis) -> Node:
    kind = _text(entity, "entityType").strip()
    observations = _texts(entity)
    title = f"{name} ({kind})" if shows(kind) else name
    tag = tag_of(kind)
    return Node(
        id=node_id,
        gist=f"{title}: {observations[0]}" if observations else title,
        notes=observations[1:],
        tags=(tag,) if tag else (),
        created=modified,
        written=Written(at=modified, by=_BY, author=_BY),
    )


def _edges(
    relations: list[tuple[str, dict[str, Any]]], names: Names, modified: Millis, skipped: list[Skipped]
) -> Iterator[Edge]:
    for where, record in relations:
        source, target = _text(record, "from"), _text(record, "to")
        missing = [end for end in (source, target) if end not in names]
        if missing:
            skipped.append(Skipped(where, f"a relation with {missing[0]!r}, which is no entity"))
            continue
        rel = rel_of(_text(record, "relationType"))
        yield Edge(source=names[source], rel=rel, target=names[target], created=modified, by=_BY)


def _text(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _texts(entity: dict[str, Any]) -> tuple[str, ...]:
    observations = entity.get("observations")
    if not isinstance(observations, list | tuple):
        return ()
    return tuple(dict.fromkeys(text for text in observations if isinstance(text, str) and shows(text)))
