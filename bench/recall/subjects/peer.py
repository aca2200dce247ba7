"""kg-memory 0.17.0, the published peer, asked through its own functions in an interpreter that has it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kg_core.model import Status
from kg_core.render import standing
from subjects.subject import DEPTH, Answer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from dataset import Key, Question
    from kg_core.model import Graph

VERSION: Final = "0.17.0"
_DRIVER: Final = Path(__file__).with_name("peer_driver.py")
_USER: Final = "user"
_AT: Final = 1_750_000_000.0


@contextlib.contextmanager
def peer(graphs: Mapping[str, Graph], python: Path, *, files: bool = False) -> Iterator[Peer]:
    """The peer with a memory of these graphs, in a scratch home; it ends with the block. With ``files``, the text of a
    question is the path of a file that is read.

    Raises RuntimeError when ``python`` does not have it.
    """
    with tempfile.TemporaryDirectory(prefix="kg-bench-") as folder:
        root = Path(folder)
        projects = {key: root / "home" / key.partition(":")[2] for key in graphs if key != _USER}
        storage = root / "storage"
        _write(storage / "user.json", graphs.get(_USER), None)
        for key, place in projects.items():
            (place / ".git").mkdir(parents=True)
            _write(storage / "projects" / place.name / "graph.json", graphs[key], place)
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(root / "home"),
            "LANG": "C.UTF-8",
            "KG_STORAGE_ROOT": str(storage),
            "KG_UPDATE_CHECK": "0",
            "KG_CHORES": "0",
            "PYTHONHASHSEED": "0",
        }
        with subprocess.Popen(
            [str(python), str(_DRIVER)],
            env=environment,
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        ) as process:
            try:
                version = _line(process)
                if version != VERSION:
                    raise RuntimeError(f"{python} has kg-memory {version}, not {VERSION}.")
                yield Peer(process, root / "home", projects, files=files)
            finally:
                process.kill()


class Peer:
    """The ranking of its ``kg_search``, and the decisions of its hooks. Made by :func:`peer`."""

    title = f"kg-memory {VERSION}"
    has_hook = True

    def __init__(
        self, process: subprocess.Popen[str], home: Path, projects: Mapping[str, Path], *, files: bool
    ) -> None:
        self._process = process
        self._home = home
        self._projects = projects
        self._files = files

    def ask(self, asked: Question, known: Collection[Key] = ()) -> Answer:
        """Asks in the project of the question. ``known`` is in front of the model already."""
        project = next((key for key in asked.graphs if key != _USER), "")
        folder = str(self._projects[project]) if project else ""
        says: dict[str, object] = {"text": asked.text, "seen": [node_id for _, node_id in known]}
        if self._files:
            says = {
                "file": asked.text.replace("~", str(self._home), 1) if "~" in asked.text else f"{folder}/{asked.text}"
            }
        line = json.dumps({**says, "project": folder})
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        found = _line(self._process)

        def keys(rows: list[list[str]]) -> tuple[Key, ...]:
            return tuple((_USER if level == _USER else project, node_id) for level, node_id in rows)

        return Answer(
            ranked=keys(found["ranked"])[:DEPTH], injected=keys(found["injected"]), characters=found["characters"]
        )


def _line(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"The peer ended. Does {process.args} work, and is kg-memory {VERSION} installed there?")
    return json.loads(line)


def _write(file: Path, graph: Graph | None, project: Path | None) -> None:
    """The peer's file of a graph; neither proposed nor retracted lessons, as for everybody."""
    nodes, edges = {}, {}
    if graph is not None:
        for node_id, node in sorted(graph.nodes.items()):
            if standing(graph, node_id) in {Status.CURRENT, Status.SUPERSEDED}:
                nodes[node_id] = {
                    "id": node_id,
                    "gist": node.gist,
                    "notes": list(node.notes),
                    "touches": list(node.touches),
                    "_created_ts": _AT,
                }
        for edge in graph.edges.values():
            ends = {"from": edge.source, "to": edge.target, "rel": edge.rel}
            edges[f"{edge.source}->{edge.target}:{edge.rel}"] = ends
    versions = {f"node:{name}": {"v": 1, "ts": _AT, "session": "bench000"} for name in nodes}
    meta: dict[str, object] = {"versions": versions}
    if project is not None:
        meta |= {"project_path": str(project.resolve()), "namespace": {"kind": "project", "owner": None}}
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"nodes": nodes, "edges": dict(sorted(edges.items())), "_meta": meta}, ensure_ascii=False)
    file.write_text(text, encoding="utf-8")
