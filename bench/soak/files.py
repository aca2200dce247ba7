"""What the files of a memory hold once its server has stopped, read as a person would: plain JSON, nothing of kg."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from soak.book import State, Stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def stored(memory: Path) -> dict[str, Stored]:
    """The graphs by name: ``user``, and ``project:<slug>`` for each project. Raises ValueError for a damaged file."""
    found = {"user": _graph(memory / "user.json")}
    for folder in sorted((memory / "projects").glob("*")):
        found[f"project:{folder.name}"] = _graph(folder / "graph.json")
    return found


def leftovers(home: Path) -> Iterator[str]:
    """Files that a server leaves behind only when something went wrong."""
    for path in sorted(home.rglob("*")):
        if path.name.endswith(".tmp") or ".corrupt-" in path.name:
            yield str(path.relative_to(home))


def _graph(path: Path) -> Stored:
    content, use = _json(path), _json(path.with_suffix(".use.json"))
    nodes: dict[str, Any] = content.get("nodes", {})
    used: dict[str, Any] = use.get("use", {})
    return Stored(
        lessons={key: State(key, node["gist"], tuple(node.get("notes", ()))) for key, node in nodes.items()},
        edges=frozenset((edge["from"], edge["rel"], edge["to"]) for edge in content.get("edges", ())),
        tasks={task: str(kept["state"].get("text", "")) for task, kept in content.get("progress", {}).items()},
        votes=frozenset(key for key, kept in used.items() if kept.get("stamps")),
    )


def _json(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
