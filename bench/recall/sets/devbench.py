"""DevBench of mcp-memory-service, from the file ``devbench_dataset.json`` that a user brings."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from dataset import Dataset, Question
from kg_core.model import Graph, Node

if TYPE_CHECKING:
    from pathlib import Path

_GRAPH: Final = "project:devbench"


def read_devbench(path: Path) -> Dataset:
    """A node for each memory, its text as the gist. A question names its answers by a tag that only they have; without
    one, silence is right.
    """
    data = path.read_bytes()
    found = json.loads(data)
    names = {str(memory["id"]) for memory in found["memories"]}
    nodes = [
        Node(
            id=_id(memory["id"]),
            gist=str(memory["content"]),
            tags=tuple(
                tag for tag in (*memory.get("tags", ()), memory.get("memory_type", "")) if tag and tag not in names
            ),
        )
        for memory in found["memories"]
    ]
    tagged = {
        tag: [_id(memory["id"]) for memory in found["memories"] if tag in (memory["id"], *memory.get("tags", ()))]
        for query in found["queries"]
        for tag in query["expected_tags"]
    }
    questions = tuple(
        Question(
            id=str(query["id"]),
            kind=str(query["category"]) if query["expected_tags"] else "negative",
            text=str(query["question"]),
            graphs=(_GRAPH,),
            answers=frozenset((_GRAPH, node) for tag in query["expected_tags"] for node in tagged[tag]),
        )
        for query in found["queries"]
    )
    graphs = {_GRAPH: Graph.build(_GRAPH, nodes={node.id: node for node in nodes})}
    return Dataset(graphs=graphs, questions=questions, hash=hashlib.sha256(data).hexdigest())


def _id(name: object) -> str:
    return str(name).replace(":", "-")
