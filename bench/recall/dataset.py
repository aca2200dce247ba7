"""The labelled set as real graphs and as questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from decisions.check import HERE, data_hash, half_of, load
from kg_core.model import Edge, Graph, Node, Status

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Key: TypeAlias = tuple[str, str]
"""A node: its graph and its id."""
Half: TypeAlias = Literal["dev", "test"]

USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked from where, and which nodes are right. Silence is right when ``answers`` is empty.

    ``stale`` are nodes that must not stand above an answer.
    """

    id: str
    kind: str
    text: str
    graphs: tuple[str, ...]
    answers: frozenset[Key]
    stale: frozenset[Key] = frozenset()
    half: Half = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """The graphs by key, the questions in order, and the hash of the files they come from."""

    graphs: Mapping[str, Graph]
    questions: tuple[Question, ...]
    hash: str

    @classmethod
    def read(cls, folder: Path = HERE) -> Dataset:
        """Reads the set of a folder."""
        nodes: dict[str, dict[str, Node]] = {}
        for row in load("gists.jsonl", folder):
            node = Node(
                id=row["id"],
                gist=row["gist"],
                notes=tuple(row["notes"]),
                touches=tuple(row["touches"]),
                tags=tuple(row["tags"]),
                status=Status(row["status"]),
            )
            nodes.setdefault(row["graph"], {})[node.id] = node
        edges: dict[str, list[Edge]] = {graph: [] for graph in nodes}
        for row in load("edges.jsonl", folder):
            notes = tuple(row.get("notes", ()))
            edges[row["graph"]].append(Edge(source=row["from"], rel=row["rel"], target=row["to"], notes=notes))
        graphs = {
            key: Graph.build(key, nodes=each, edges={edge.key: edge for edge in edges[key]})
            for key, each in nodes.items()
        }
        questions = tuple(
            Question(
                id=row["id"],
                kind=row["class"],
                text=row["text"],
                graphs=tuple(dict.fromkeys((USER, row["cwd_graph"]))),
                answers=frozenset((graph, node_id) for graph, node_id in row["answers"]),
                stale=frozenset((graph, node_id) for graph, node_id in row.get("stale", ())),
                half=half_of(row["id"]),
            )
            for row in load("questions.jsonl", folder)
        )
        return cls(graphs=graphs, questions=questions, hash=data_hash(folder))
