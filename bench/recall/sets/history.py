"""Questions from the history of any git repository: later commits ask, earlier ones answer.

A lesson is an earlier commit: its subject is the gist, the paragraphs of its body are the notes, and the files that it
changed are the touches. A question is the subject of a later commit; right are the earlier commits that changed a
file which that one changes too, followed through renames. Files that many commits change say nothing, and neither do
commits that change many.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dataset import Dataset, Question
from kg_core.model import Graph, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_GRAPH: Final = "project:history"
COMMITS: Final = 1_500
"""The newest so many are looked at, merges left out."""
ASKING: Final = 3
"""One commit in so many asks: the newest third."""
MOST_FILES: Final = 12
"""A commit that changes more is about nothing in particular."""
MOST_COMMITS: Final = 5
"""A file that more earlier commits have changed is one that everything changes."""
_FORMAT: Final = "--format=%x01%H%x00%s%x00%b%x00"
_TRAILER: Final = re.compile(r"^[A-Z][\w-]+: .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, with its files under the names that they have at the end."""

    hash: str
    subject: str
    body: str
    files: frozenset[str]

    @property
    def node_id(self) -> str:
        """The name of its lesson."""
        words = re.findall(r"\w+", self.subject)[:4]
        return "-".join([*words, self.hash[:8]]).lower()


def read_history(repository: Path) -> Dataset:
    """Lessons and questions of a repository as it stands. Needs git; raises CalledProcessError where it is none."""
    commits = [commit for commit in _commits(repository) if 0 < len(commit.files) <= MOST_FILES]
    asking = commits[: len(commits) // ASKING]
    telling = commits[len(asking) :]
    changed = Counter(file for commit in telling for file in commit.files)
    by_file: dict[str, list[Commit]] = {}
    for commit in telling:
        for file in commit.files:
            if changed[file] <= MOST_COMMITS:
                by_file.setdefault(file, []).append(commit)
    nodes = {commit.node_id: _lesson(commit) for commit in telling}
    questions = []
    for commit in asking:
        answers = frozenset((_GRAPH, told.node_id) for file in commit.files for told in by_file.get(file, ()))
        if answers:
            asked = Question(
                id=commit.hash[:12], kind="history", text=commit.subject, graphs=(_GRAPH,), answers=answers
            )
            questions.append(asked)
    named = hashlib.sha256("\n".join(commit.hash for commit in commits).encode("ascii")).hexdigest()
    graph = Graph.build(_GRAPH, nodes=nodes)
    return Dataset(graphs={_GRAPH: graph}, questions=tuple(questions), hash=named)


def _lesson(commit: Commit) -> Node:
    paragraphs = (re.sub(r"\s+", " ", part).strip() for part in _TRAILER.sub("", commit.body).split("\n\n"))
    notes = tuple(filter(None, paragraphs))
    return Node(id=commit.node_id, gist=commit.subject, notes=notes, touches=tuple(sorted(commit.files)))


def _commits(repository: Path) -> Iterator[Commit]:
    """The commits, newest first."""
    command = ["git", "-C", str(repository), "-c", "core.quotePath=false", "log", "-z", "--no-merges", "--name-status"]
    options = ["--find-renames", f"--max-count={COMMITS}", _FORMAT]
    done = subprocess.run([*command, *options], capture_output=True, check=True)
    now: dict[str, str] = {}
    for record in done.stdout.decode("utf-8", "replace").split("\x01")[1:]:
        commit, subject, body, *fields = record.split("\0")
        files: set[str] = set()
        for names in _changes(fields):
            last = now.get(names[-1], names[-1])
            files.add(last)
            if len(names) > 1:
                now[names[0]] = last
        yield Commit(commit, subject, body, frozenset(files))


def _changes(fields: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The names of each changed file, oldest first: two for one that was renamed."""
    rest = (field.lstrip("\n") for field in fields)
    for status in rest:
        if status[:1] in {"R", "C"}:
            old, new = next(rest), next(rest)
            yield (old, new) if status.startswith("R") else (new,)
        elif status:
            yield (next(rest),)
