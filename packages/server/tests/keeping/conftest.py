"""A real memory behind a real server on a thread of this process, the commands on it, and git repositories."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.host import Plugins
from kg_core.model import USER, Change, Node, Tombstone, Written
from kg_core.store import Home, Settings, Write
from kg_server.cli.group import run_command
from kg_server.client import Client
from kg_server.serve import serve
from kg_server.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

IMPORTS = Path(__file__).parents[3] / "core" / "tests" / "imports"


@dataclass
class Clock:
    """A clock that a test sets; it goes on by one millisecond with each look."""

    now: int = 1_900_000_000_000

    def __call__(self) -> int:
        self.now += 1
        return self.now


@dataclass
class Running:
    """A server with a whole memory. :meth:`do` runs on its loop."""

    home: Home
    settings: Settings
    clock: Clock = field(default_factory=Clock)
    service: Service | None = None
    loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> Running:
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._ready.wait(30)
        if self._failure is not None:
            raise self._failure
        return self

    def _run(self) -> None:
        async def main() -> None:
            plugins = Plugins.of()
            self.loop = asyncio.get_running_loop()
            self.service = await Service.open(
                self.home, clock=self.clock, plugins=plugins, settings=self.settings, version="0.1.0"
            )
            await serve(self.home, self.service, plugins, port=0, ready=lambda _: self._ready.set())

        try:
            asyncio.run(main())
        except BaseException as failure:  # noqa: BLE001 - the test that waits for this thread raises it
            self._failure = failure
            self._ready.set()

    def stop(self) -> None:
        if self._thread.is_alive():
            with Client(self.home) as client:
                client.post("/api/v1/stop", {})
        self._thread.join(30)
        assert not self._thread.is_alive()

    def do(self, work: Callable[[Service], Coroutine[Any, Any, Any]]) -> Any:
        assert self.service is not None
        assert self.loop is not None
        return asyncio.run_coroutine_threadsafe(work(self.service), self.loop).result(60)

    def put(self, node_id: str, gist: str, cwd: str = "", notes: tuple[str, ...] = ()) -> None:
        """Writes a lesson of the project of ``cwd``, or of the user."""
        at = self.clock()
        node = Node(id=node_id, gist=gist, notes=notes, created=at, written=Written(at=at, by="s", author="s"))
        self.commit(cwd, nodes={node_id: node}, tombstones={node_id: None})

    def delete(self, node_id: str, cwd: str = "") -> None:
        """Deletes a lesson, as the tool does."""
        self.commit(cwd, nodes={node_id: None}, tombstones={node_id: Tombstone(at=self.clock(), by="s")})

    def commit(self, cwd: str = "", **change: Any) -> None:
        """Makes a change to the graph of the project of ``cwd``, or of the user."""

        async def commit(service: Service) -> None:
            store = service._memory.store
            project = store.projects.resolve(cwd) if cwd else None
            key = USER if project is None else project.key
            await service._memory.load(key)
            await store.commit(Write(by="s", at=self.clock(), changes=(Change(graph=key, **change),)))

        self.do(commit)

    def graph(self, key: str) -> Any:
        async def look(service: Service) -> Any:
            await service._memory.load(key)
            return service._memory.durable(key)

        return self.do(look)

    def sync(self) -> list[dict[str, Any]]:
        return self.do(lambda service: service.keeping.exchange.sync())

    def problems(self) -> list[str]:
        assert self.service is not None
        return [problem["sentence"] for problem in self.service.health()["problems"]]


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a person whom git knows."""
    folder = tmp_path / "ana"
    folder.mkdir()
    (folder / ".gitconfig").write_text(
        "[user]\nname = Ana\nemail = ana@example.test\n[init]\ndefaultBranch = main\n", encoding="utf-8"
    )
    monkeypatch.setenv("HOME", str(folder))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    return folder


@pytest.fixture
def servers(person: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Running]]:
    """Starts servers, each with a memory home of its own, and ends them."""
    started: list[Running] = []

    def start(name: str = ".kg", settings: Settings | None = None) -> Running:
        running = Running(Home(person / name), settings or Settings()).start()
        started.append(running)
        monkeypatch.setenv("KG_HOME", str(running.home.root))
        return running

    yield start
    for running in started:
        running.stop()


@pytest.fixture
def server(servers: Callable[..., Running]) -> Running:
    return servers()


@pytest.fixture
def kg(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command: exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = run_command([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def git(person: Path) -> Callable[..., str]:
    """Runs git in a folder; what it prints. Fails the test when git fails."""

    def run(folder: Path, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    return run


@pytest.fixture
def repository(person: Path, git: Callable[..., str]) -> Path:
    """A repository with one commit."""
    folder = person / "shop"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "readme.txt").write_text("a shop\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "Begin")
    return folder


@pytest.fixture
def imports() -> Path:
    """Files that other products really wrote."""
    return IMPORTS
