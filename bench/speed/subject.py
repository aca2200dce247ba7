"""What every program under measurement can be asked to do."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from speed.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Places:
    """The scratch folders of one measured program."""

    root: Path

    @property
    def home(self) -> Path:
        """The home folder that the program sees."""
        return self.root / "home"

    @property
    def project(self) -> Path:
        """The project that the lessons belong to, inside the home."""
        return self.home / "bench-project"

    @property
    def storage(self) -> Path:
        """Where the program keeps its memory."""
        return self.root / "storage"

    @property
    def log(self) -> Path:
        """What the program prints."""
        return self.root / "server.log"

    def read_of(self, path: str) -> dict[str, object]:
        """What Claude Code's event after a read says of a file of the project, named by its path inside it."""
        file = str(self.project / path)
        return {
            "tool_name": "Read",
            "tool_use_id": f"read-{path}",
            "tool_input": {"file_path": file},
            "tool_response": {"type": "text", "file": {"filePath": file, "content": "pass\n", "numLines": 1}},
        }

    def make(self) -> None:
        """Makes the folders; the project is a git repository, as projects are."""
        subprocess.run(["git", "init", "--quiet", str(self.project)], check=True)
        self.storage.mkdir()


class Subject(Protocol):
    """One program with one memory. Each operation is one request, answered."""

    @property
    def title(self) -> str:
        """Name and version."""
        ...

    def prepare(self, corpus: Corpus) -> None:
        """Writes the storage, before :meth:`start`."""
        ...

    def start(self) -> float:
        """Starts the server; the seconds until it was healthy."""
        ...

    def stop(self) -> None:
        """Stops it."""
        ...

    def resident_mib(self) -> float:
        """Resident memory of the server."""
        ...

    def open_session(self) -> None:
        """One agent's session as it goes on after its start and its first full read."""
        ...

    def indexed(self, nodes: int) -> None:
        """Returns once so many nodes can be searched: what a program does in the background after its start is done."""
        ...

    def settle(self) -> None:
        """What follows an operation while the client goes on; not timed."""
        ...

    def preload(self, turn: int) -> str:
        """The session start event of a new session."""
        ...

    def prompt(self, text: str) -> str:
        """The prompt event of the open session."""
        ...

    def after_read(self, path: str) -> str:
        """The event of the open session after it has read a file of the project."""
        ...

    def read_full(self) -> str:
        """The whole memory, as the open session reads it."""
        ...

    def read_node(self, lesson_id: str) -> str:
        """One lesson by id."""
        ...

    def search(self, query: str) -> str:
        """A search over both levels."""
        ...

    def put_node(self, lesson_id: str, gist: str) -> str:
        """Writes one lesson, new or changed."""
        ...

    def put_edge(self, source: str, target: str) -> str:
        """Writes one edge."""
        ...

    def first_answer(self) -> float:
        """Seconds from the start of ``kg mcp`` to its first answer, the server being up."""
        ...
