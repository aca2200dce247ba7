"""Our server with its event loop watched, and what it is asked to do that is large."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from kg_core.store import Home
from speed import watched
from speed.kg import Kg
from speed.process import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from speed.subject import Places

REST: Final = 3.5
"""Seconds after which what follows a write is under way: a compaction after 1 s of quiet, a snapshot after 2 s."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the loop, in seconds: wall time, processor time of the loop's thread, the collector's part."""

    began: float
    wall: float
    cpu: float
    collector: float
    name: str


class Watched(Kg):
    """Our server; what its loop did without giving way can be asked for."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self._record = places.root / "steps.jsonl"
        self._serving = [sys.executable, watched.__file__, str(self._record), "serve"]

    def steps(self, since: float) -> list[Step]:
        """The steps longer than :data:`speed.watched.LONG` that began after ``since`` (``time.perf_counter``)."""
        if not self._record.exists():
            return []
        found = (Step(**json.loads(line)) for line in self._record.read_text(encoding="utf-8").splitlines())
        return [step for step in found if step.began >= since]

    def load(self, nodes: int) -> None:
        """A session that starts; all of its memory is loaded and indexed."""
        self.open_session()
        self.indexed(nodes)

    def snapshot(self) -> None:
        """A write, and the snapshot that follows."""
        before = self._graph().stat().st_mtime_ns
        self.put_node("bench-loop-snapshot", f"A lesson that is written to have a snapshot after {before}.")
        until(lambda: self._graph().stat().st_mtime_ns != before)

    def compaction(self, nodes: int) -> None:
        """A write, the compaction that moves most of the nodes out of sight, and the snapshot after it."""
        self.put_node("bench-loop-compaction", "A lesson that is written to have a compaction.")
        self.compacted(nodes)

    def compacted(self, nodes: int) -> None:
        """Returns once most nodes are out of sight, in the files too."""
        until(lambda: _out_of_sight(self._uses()) > nodes // 2)

    def backup(self) -> None:
        """A backup of all memory."""
        self._wire().post("/api/v1/backup", {"path": str(self._places.root / "backup.tar.gz")})

    def export(self) -> None:
        """An export of all memory."""
        self._wire().get("/api/v1/export")

    def why(self, lesson_id: str) -> None:
        """Why a lesson is out of sight, and what would bring it back."""
        self._wire().get(f"/api/v1/why?{urlencode({'cwd': self._places.project, 'id': lesson_id})}")

    def show(self) -> None:
        """All memory, as ``kg show`` prints it."""
        self._wire().get(f"/api/v1/show?{urlencode({'cwd': self._places.project})}")

    def preview(self) -> None:
        """What a session start would bring, as ``kg preview`` prints it."""
        self._wire().get(f"/api/v1/preview?{urlencode({'cwd': self._places.project, 'harness': 'claude'})}")

    def sync(self) -> str:
        """What the open session has not seen."""
        return self._call("kg_sync")

    def edit(self, *, every: bool) -> None:
        """A person's edit of the project's file: of the last node, or of every node. Returns once it is taken over."""
        path = self._graph()
        record = json.loads(path.read_text(encoding="utf-8"))
        names = list(record["nodes"]) if every else list(record["nodes"])[-1:]
        mark = f"Edited {time.perf_counter_ns()}:"
        for name in names:
            record["nodes"][name]["gist"] = f"{mark} {record['nodes'][name]['gist']}"
        path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        shown = f"/api/v1/show?{urlencode({'cwd': self._places.project, 'id': names[-1]})}"
        until(lambda: mark in self._wire().get(shown))
        time.sleep(REST)

    def source(self, text: str) -> Path:
        """A file to import."""
        path = self._places.root / "memory.jsonl"
        path.write_text(text, encoding="utf-8")
        return path

    def take_over(self, source: Path) -> None:
        """``kg import`` of a file into the project."""
        command = [self._command, "import", str(source), "--level", "project", "--cwd", str(self._places.project)]
        subprocess.run(command, env=self._environ, check=True, capture_output=True)

    def _graph(self) -> Path:
        return next(Home(self._places.storage).projects.glob("*/graph.json"))

    def _uses(self) -> Iterator[Path]:
        return Home(self._places.storage).projects.glob("*/graph.use.json")


def _out_of_sight(uses: Iterator[Path]) -> int:
    texts = [use.read_text(encoding="utf-8") for use in uses]
    return sum(text.count('"archived"') + text.count('"orphaned"') for text in texts)
