"""A person who edits the memory's files while agents use it: ``python -m soak.person MEMORY SEED`` until input ends.

Once a second a file is read, one lesson is added, changed or taken out, and the file is saved as editors do it:
written beside, synced, put in its place. When somebody else has saved meanwhile, the person looks again first. Each
edit that was saved is told on standard output, one JSON object a line; so is each that could not be.
"""

from __future__ import annotations

import json
import os
import random
import select
import sys
from pathlib import Path
from typing import Any, Final

EVERY: Final = 1.0
_TRIES: Final = 50
_MOST_LESSONS: Final = 30


class Person:
    """Knows which lessons it wrote, and touches no others."""

    def __init__(self, memory: Path, seed: int) -> None:
        self._memory = memory
        self._chance = random.Random(seed)
        self._mine: dict[str, dict[str, str]] = {}
        self._count = 0

    def edit(self) -> dict[str, Any] | None:
        """One edit; what it did, or None when there is no file yet or somebody saved at the same moment each time."""
        paths = [self._memory / "user.json", *sorted(self._memory.glob("projects/*/graph.json"))]
        path = self._chance.choice(paths)
        self._count += 1
        for _ in range(_TRIES):
            try:
                with path.open("rb") as file:
                    read = os.fstat(file.fileno())
                    content = json.loads(file.read())
            except FileNotFoundError:
                return None
            node_id, gist = self._change(path, content["nodes"])
            if self._saved(path, content, read):
                mine = self._mine.setdefault(str(path), {})
                mine.pop(node_id, None)
                if gist:
                    mine[node_id] = gist
                return {"path": str(path), "id": node_id, "gist": gist}
        return None

    def _change(self, path: Path, nodes: dict[str, Any]) -> tuple[str, str]:
        """Makes one change to ``nodes``: the id, and the new gist or nothing when the lesson was taken out."""
        mine = sorted(node_id for node_id in self._mine.get(str(path), {}) if node_id in nodes)
        action = self._chance.random()
        if mine and (action < 0.2 or len(mine) > _MOST_LESSONS):
            node_id = self._chance.choice(mine)
            del nodes[node_id]
            return node_id, ""
        node_id = self._chance.choice(mine) if mine and action < 0.5 else f"person-lesson-{self._count}"
        gist = f"A person says at edit {self._count} that hands do other work than tools."
        nodes[node_id] = {**nodes.get(node_id, {}), "gist": gist}
        return node_id, gist

    def _saved(self, path: Path, content: dict[str, Any], read: os.stat_result) -> bool:
        """Puts the new content in the file's place; False when the file is another one by now."""
        beside = path.with_name(f".{path.name}.swp")
        text = json.dumps({**content, "nodes": dict(sorted(content["nodes"].items()))}, ensure_ascii=False, indent=2)
        try:
            with beside.open("w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            found = path.stat()
            if (found.st_ino, found.st_mtime_ns) != (read.st_ino, read.st_mtime_ns):
                return False
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        return True


def main() -> None:
    """Edits until standard input ends."""
    person = Person(Path(sys.argv[1]), int(sys.argv[2]))
    while not select.select([sys.stdin], [], [], EVERY)[0]:
        try:
            told = person.edit()
        except OSError as failure:
            told = {"error": str(failure.strerror or failure)}
        if told is not None:
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
