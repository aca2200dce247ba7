"""The real server under eight writers and a reader over MCP, killed again and again: what was acknowledged is there."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

DRIVER = Path(__file__).parent / "kills" / "driver.py"
POINTS = ("append", "sync", "before-rename", "after-rename", "file")
WRITERS = 8
KILLS_OF_ONE_MEMORY = 20
"""Then a new one is begun: a memory that grew for ever would be all that the later rounds measure."""
SEEN = re.compile(r"\b(w\d+-r\d+-\d+): (lesson \S+)")


class Gone(Exception):
    """The server did not answer: it is being killed."""


class Tools:
    """One client's connection to the server of a memory home."""

    def __init__(self, home: Path) -> None:
        found = json.loads((home / "state" / "server.json").read_text(encoding="utf-8"))
        self._token = found["token"]
        self._connection = http.client.HTTPConnection("127.0.0.1", found["port"], timeout=10)

    def call(self, name: str, **arguments: object) -> tuple[bool, str]:
        """Whether it worked, and what was said."""
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        try:
            self._connection.request("POST", "/mcp", json.dumps(call), headers)
            answer: dict[str, Any] = json.loads(self._connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError) as failure:
            raise Gone from failure
        result = answer["result"]
        return not result.get("isError", False), result["content"][0]["text"]

    def close(self) -> None:
        self._connection.close()


class Round:
    """One life of the server: what its clients tried, were told and saw."""

    def __init__(self, home: Path, name: str, point: str) -> None:
        self.home, self.name = home, name
        self.tried: dict[str, str] = {}
        self.told: dict[str, str] = {}
        self.shown: dict[str, str] = {}
        self.died_by_itself = False
        self._over = threading.Event()
        environ = {**os.environ, "KILL_AT": point} if point else dict(os.environ)
        (home / "state" / "server.json").unlink(missing_ok=True)
        with (home / "server.log").open("ab") as log:
            self._server = subprocess.Popen(
                [sys.executable, str(DRIVER), str(home)], env=environ, stdout=log, stderr=log
            )

    def live(self, seconds: float) -> None:
        """Lets the clients work until the server has killed itself, at the latest for ``seconds``; then kills it."""
        clients: list[threading.Thread] = []
        if self._is_up():
            clients = [threading.Thread(target=self._client, args=(self._write, n)) for n in range(WRITERS)]
            clients.append(threading.Thread(target=self._client, args=(self._read, 0)))
            for client in clients:
                client.start()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._server.wait(seconds)
        self.died_by_itself = self._server.poll() is not None
        self._server.kill()
        self._over.set()
        for client in clients:
            client.join(30)
            assert not client.is_alive()
        assert self._server.wait(30) == -signal.SIGKILL

    def _is_up(self) -> bool:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self._server.poll() is None:
            if (self.home / "state" / "server.json").exists():
                return True
            time.sleep(0.01)
        return False

    def _client(self, work: Callable[[Tools, int], None], number: int) -> None:
        with contextlib.suppress(Gone, OSError, ValueError), contextlib.closing(Tools(self.home)) as tools:
            work(tools, number)

    def _write(self, tools: Tools, number: int) -> None:
        for count in range(100_000):
            node_id, gist = f"w{number}-{self.name}-{count}", f"lesson {self.name}/{number}/{count}"
            self.tried[node_id] = gist
            worked, said = tools.call("kg_put_node", level="user", id=node_id, gist=gist)
            assert worked, said
            self.told[node_id] = gist

    def _read(self, tools: Tools, _: int) -> None:
        while not self._over.is_set():
            _, found = tools.call("kg_search", query=f"lesson {self.name}", level="user")
            self.shown.update(SEEN.findall(found))


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(4, id="4"),
        pytest.param(20, id="20", marks=pytest.mark.slow),
        pytest.param(500, id="500", marks=pytest.mark.nightly),
    ],
)
def test_what_the_server_acknowledged_or_showed_survives_its_being_killed(tmp_path: Path, kills: int) -> None:
    chance = random.Random(kills)
    died_at: set[str] = set()
    for memory in range(0, kills, KILLS_OF_ONE_MEMORY):
        home = tmp_path / f"home-{memory}"
        (home / "state").mkdir(parents=True)
        lives = []
        for number in range(memory, min(kills, memory + KILLS_OF_ONE_MEMORY)):
            kind = POINTS[number // 2 % len(POINTS)] if number % 2 else ""
            point = f"{kind}:{chance.randint(1, 60 if kind in {'append', 'sync'} else 5)}" if kind else ""
            life = Round(home, f"r{number}", point)
            life.live(8 if point else chance.uniform(0.05, 0.4))
            if life.died_by_itself or not kind:
                died_at.add(kind)
            lives.append(life)
        kept = stored(home)
        for life in lives:
            assert life.told.items() <= kept.items()
            assert life.shown.items() <= kept.items()
        assert kept.items() <= {item for life in lives for item in life.tried.items()}
        assert sum(len(life.told) for life in lives) > len(lives)
        assert sum(len(life.shown) for life in lives) > len(lives)
        assert not list(home.rglob("*.corrupt-*"))
    assert died_at == {"", *POINTS} or kills < 2 * len(POINTS)


def stored(home: Path) -> dict[str, str]:
    """What the files hold once a server has been started and stopped in the ordinary way."""
    (home / "state" / "server.json").unlink(missing_ok=True)
    server = subprocess.Popen([sys.executable, str(DRIVER), str(home)], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (home / "state" / "server.json").exists():
        assert server.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    server.terminate()
    server.wait(60)
    for path in home.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    assert not list(home.rglob("*.tmp"))
    graph = json.loads((home / "memory" / "user.json").read_text(encoding="utf-8"))
    return {node_id: node["gist"] for node_id, node in graph["nodes"].items()}
