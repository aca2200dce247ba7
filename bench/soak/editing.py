"""The person of :mod:`soak.person` as a process, and what it says that it saved."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from soak.book import GONE, Book, Lesson, State
from soak.trouble import Complaint

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_core.store import Home


class Editing:
    """Begins at once; :meth:`stop` ends it."""

    def __init__(self, home: Home, seed: int, now: Callable[[], float]) -> None:
        self.book = Book("person")
        self.complaints: list[Complaint] = []
        self._now = now
        self._lessons: dict[tuple[str, str], Lesson] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "soak.person", str(home.memory), str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[1],
            text=True,
        )
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def stop(self) -> None:
        """Lets the edit under way be saved, and ends the person. Raises RuntimeError when it had ended badly before."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(30)
        self._listener.join(30)
        if code:
            raise RuntimeError(f"the person's process ended with {code}")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as told:
            for line in told:
                said = json.loads(line)
                if "error" in said:
                    now = self._now()
                    self.complaints.append(Complaint(self.book.who, "edit", said["error"], now, now))
                else:
                    self._saved(said["path"], said["id"], said["gist"])

    def _saved(self, path: str, node_id: str, gist: str) -> None:
        file = Path(path)
        graph = "user" if file.stem == "user" else f"project:{file.parent.name}"
        lesson = self._lessons.get((graph, node_id))
        if lesson is None:
            lesson = self._lessons[graph, node_id] = self.book.begin(graph)
        lesson.ids.add(node_id)
        lesson.acknowledged(State(node_id, gist) if gist else State(GONE))
        self.book.acknowledged += 1
