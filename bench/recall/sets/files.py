"""File recall: a repository with a past, lessons that point at its files, and files that are opened."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dataset import Dataset, Question
from kg_core.model import Graph, Node
from kg_core.policy import Renames, renames_of

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE: Final = Path(__file__).resolve().parents[1] / "files"
PROJECT: Final = "project:orchard"
USER: Final = "user"
_NAMES: Final = ("repository.jsonl", "lessons.jsonl", "cases.jsonl")
_GIT: Final = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "commit.gpgSign=false")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSet:
    """The lessons, and a question for each file that is opened: its text is the path. ``former`` are the names that the
    file has at other times, as git tells them, without those that another file has now.
    """

    dataset: Dataset
    former: Mapping[str, tuple[str, ...]]


def read_files(folder: Path = HERE) -> FileSet:
    """Reads the set of a folder and builds its repository, in a temporary folder, to ask git what was renamed."""
    steps, lessons, cases = (_load(folder / name) for name in _NAMES)
    nodes: dict[str, dict[str, Node]] = {PROJECT: {}, USER: {}}
    for row in lessons:
        nodes[row["graph"]][row["id"]] = Node(id=row["id"], gist=row["gist"], touches=tuple(row["touches"]))
    questions = tuple(
        Question(
            id=f"{row['class']}:{row['path']}",
            kind=row["class"],
            text=row["path"],
            graphs=(USER, PROJECT),
            answers=frozenset((graph, node_id) for graph, node_id in row["answers"]),
            stale=frozenset((graph, node_id) for graph, node_id in row["stale"]),
        )
        for row in cases
    )
    with tempfile.TemporaryDirectory(prefix="kg-bench-") as scratch:
        tree = Path(scratch)
        renames = _renames(tree, steps)
        former = {
            asked.text: tuple(name for name in renames.names(asked.text) if not (tree / name).exists())
            for asked in questions
        }
    named = hashlib.sha256(b"".join((folder / name).read_bytes() for name in _NAMES)).hexdigest()
    graphs = {key: Graph.build(key, nodes=each) for key, each in nodes.items()}
    return FileSet(dataset=Dataset(graphs=graphs, questions=questions, hash=named), former=former)


def _renames(tree: Path, steps: list[dict[str, Any]]) -> Renames:
    """The renames of a repository that is made by these steps, a commit each."""
    _git(tree, "init", "--quiet")
    for number, step in enumerate(steps):
        for name in step.get("add", ()):
            file = tree / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(f"{line} of {name} in step {number}\n" for line in range(20)), encoding="utf-8")
        for old, new in step.get("move", ()):
            (tree / new).parent.mkdir(parents=True, exist_ok=True)
            (tree / old).rename(tree / new)
        _git(tree, "add", "--all")
        _git(tree, "commit", "--quiet", "--message", "A step.")
    listing = _git(tree, "log", "-M", "--diff-filter=R", "--name-status", "-z", "--format=")
    return Renames(renames_of(listing))


def _git(tree: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run([*_GIT, *arguments], cwd=tree, env=environment, capture_output=True, check=True)
    return done.stdout.decode("utf-8")


def _load(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
