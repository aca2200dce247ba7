"""kg-memory 0.17.0, the published peer, in a virtual environment of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.parse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from speed.corpus import DAY, Corpus, Lesson, Tier
from speed.process import Process, free_port, scratch_environ
from speed.shim import first_answer
from speed.wire import Connection

if TYPE_CHECKING:
    from speed.subject import Places

VERSION = "0.17.0"
SESSION = re.compile(r"(?:Session: |session_id=')(\w+)")


def installed(environment: Path) -> Path:
    """The peer's ``python``, in ``environment``; creates that with pip when it is not there."""
    python = environment / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", f"kg-memory=={VERSION}"], check=True)
    return python


class Peer:
    """The peer's server, asked over its HTTP and MCP interfaces."""

    title = f"kg-memory {VERSION}"

    def __init__(self, places: Places, python: Path) -> None:
        self._places = places
        self._python = python
        self._port = free_port()
        self._environ = scratch_environ(
            places.home,
            KG_STORAGE_ROOT=str(places.storage),
            KG_HTTP_PORT=str(self._port),
            KG_UPDATE_CHECK="0",
            KG_CHORES="0",
            XDG_STATE_HOME=str(places.home / "state"),
        )
        self._session = ""
        self._process: Process | None = None
        self._connection = Connection(self._port)

    def prepare(self, corpus: Corpus) -> None:
        """Writes the peer's graph file."""
        file = self._places.storage / "projects" / self._places.project.name / "graph.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(_graph(corpus, self._places.project), indent=2), encoding="utf-8")
        empty = {"nodes": {}, "edges": {}, "_meta": {"versions": {}}}
        (self._places.storage / "user.json").write_text(json.dumps(empty), encoding="utf-8")

    def start(self) -> float:
        """Starts the server; the seconds until it was healthy."""
        command = [str(self._python), str(self.module_folder(self._python) / "server" / "mcp_streamable_server.py")]
        self._process = Process.start(command, self._environ, self._places.log, self._healthy)
        return self._process.start_seconds

    def stop(self) -> None:
        """Stops it."""
        self._connection.close()
        if self._process is not None:
            self._process.stop()

    def resident_mib(self) -> float:
        """Resident memory of the server."""
        assert self._process is not None
        return self._process.resident_mib()

    def open_session(self) -> None:
        """A session that its hook has registered and that has made its full read."""
        self._session = json.loads(self._bootstrap("bench-open"))["session_id"]
        self._call("kg_read")

    def indexed(self, nodes: int) -> None:
        """Nothing to wait for: the peer has no index and reads its files before it answers."""

    def settle(self) -> None:
        """Nothing follows: the peer takes what it sent for arrived."""

    def preload(self, turn: int) -> str:
        """What the session-start hook asks for."""
        return str(json.loads(self._bootstrap(f"bench-{turn}"))["context"])

    def prompt(self, text: str) -> str:
        """What the prompt hook asks for."""
        return self._event("/api/prompt_context", "UserPromptSubmit", prompt=text)

    def after_read(self, path: str) -> str:
        """What the hook after a tool asks for."""
        return self._event("/api/tool_event", "PostToolUse", **self._places.read_of(path))

    def read_full(self) -> str:
        """The whole memory."""
        return self._call("kg_read")

    def read_node(self, lesson_id: str) -> str:
        """One lesson by id."""
        return self._call("kg_read", id=lesson_id)

    def search(self, query: str) -> str:
        """A search over both levels."""
        return self._call("kg_search", query=query)

    def put_node(self, lesson_id: str, gist: str) -> str:
        """Writes one lesson."""
        return self._call("kg_put_node", level="project", id=lesson_id, gist=gist)

    def put_edge(self, source: str, target: str) -> str:
        """Writes one edge."""
        return self._call("kg_put_edge", level="project", **{"from": source, "to": target, "rel": "bench"})

    def first_answer(self) -> float:
        """The peer's own stdio bridge."""
        return first_answer([str(self._python.parent / "kg"), "mcp"], self._environ)

    def _event(self, path: str, native: str, **fields: object) -> str:
        payload = {"hook_event_name": native, "session_id": "bench-open", "cwd": str(self._places.project), **fields}
        return self._connection.post(path, payload)

    def _call(self, tool: str, **arguments: object) -> str:
        return self._connection.call("/", tool, {"session_id": self._session, **arguments})

    def _bootstrap(self, harness_session: str) -> str:
        query = {"project_path": str(self._places.project), "claude_session_id": harness_session, "source": "startup"}
        return self._connection.get(f"/api/session_bootstrap?{urllib.parse.urlencode(query)}")

    def _healthy(self) -> bool:
        try:
            return bool(self._connection.get("/health"))
        except (OSError, RuntimeError):
            self._connection.close()
            return False

    @staticmethod
    def module_folder(python: Path) -> Path:
        """Where the peer's code lies in the environment of ``python``."""
        find = "import importlib.util as u; print(u.find_spec('kg_memory').submodule_search_locations[0])"
        done = subprocess.run([str(python), "-c", find], capture_output=True, check=True, encoding="utf-8")
        return Path(done.stdout.strip())


def _graph(corpus: Corpus, project: Path) -> dict[str, Any]:
    edges = {
        f"{link.source}->{link.target}:{link.rel}": {"from": link.source, "to": link.target, "rel": link.rel}
        for link in corpus.links
    }
    written = {lesson.id: lesson.written for lesson in corpus.lessons}
    versions = {f"node:{name}": _version(at) for name, at in written.items()}
    versions |= {f"edge:{key}": _version(written[edge["from"]]) for key, edge in edges.items()}
    return {
        "nodes": {lesson.id: _node(lesson) for lesson in corpus.lessons},
        "edges": edges,
        "_meta": {
            "versions": versions,
            "project_path": str(project.resolve()),
            "namespace": {"kind": "project", "owner": None},
        },
    }


def _version(at: float) -> dict[str, object]:
    return {"v": 1, "ts": at, "session": "bench000"}


def _node(lesson: Lesson) -> dict[str, object]:
    node: dict[str, object] = {
        "id": lesson.id,
        "gist": lesson.gist,
        "notes": list(lesson.notes),
        "touches": [lesson.touch],
        "_created_ts": lesson.written,
        "_written": {"ts": lesson.written, "by": "bench000"},
    }
    if lesson.useful:
        node["_useful_ts"] = [lesson.written]
    if lesson.tier is not Tier.ACTIVE:
        node["_archived"] = True
    if lesson.tier is Tier.ORPHANED:
        node["_orphaned_ts"] = lesson.written + DAY
    return node
