"""Real server processes, started with the command that carriers use, and requests written header by header."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.store import Home
from kg_server.carrier.wire import Endpoint, endpoint
from kg_server.client import Client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

PATIENCE = 20.0


@dataclass(frozen=True)
class Answer:
    """What came back, as text and, where it is JSON, as a value."""

    status: int
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Server:
    """A server process on a memory of its own."""

    def __init__(self, home: Home, environ: Mapping[str, str]) -> None:
        self.home = home
        self.log = home.root / "server.log"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "kg_server", "serve", "--home", str(home.root)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**inherited, **environ},
            )
        self.where = self._reached()

    def _reached(self) -> Endpoint:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            found = endpoint(str(self.home.server_file))
            if found is not None and found.pid == self.process.pid and self.health() is not None:
                return found
            time.sleep(0.02)
        self.stop()
        raise AssertionError(self.log.read_text(encoding="utf-8"))

    def health(self) -> dict[str, Any] | None:
        with Client(self.home) as client:
            return client.health()

    def ask(
        self, method: str, target: str, body: bytes | None = None, headers: Mapping[str, str | None] | None = None
    ) -> Answer:
        """One request. ``headers`` replace the proper ones; one that is None is left out."""
        sent: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.where.port}",
            "Authorization": f"Bearer {self.where.token}",
        }
        if body is not None:
            sent |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.where.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            reply = connection.getresponse()
            return Answer(reply.status, reply.read().decode("utf-8"))
        finally:
            connection.close()

    def call(self, tool: str, **arguments: object) -> tuple[bool, str]:
        """A tool call: whether it is an error, and its text."""
        body = message("tools/call", name=tool, arguments=arguments)
        result = self.ask("POST", "/mcp", body).json["result"]
        return bool(result.get("isError")), result["content"][0]["text"]

    def event(self, harness: str, native: str, **payload: object) -> Answer:
        body = json.dumps({"carrier": "hook_client", "payload": payload}).encode()
        return self.ask("POST", f"/hooks/{harness}/{native}", body)

    def stop(self) -> None:
        """Ends the process, which closes its memory."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def message(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Starts servers, each on any free port, and ends those that are left."""
    started: list[Server] = []

    def run(root: Path | None = None, **environ: str) -> Server:
        root = root or tmp_path_factory.mktemp("server") / "kg home"
        root.mkdir(mode=0o700, exist_ok=True)
        (root / "config.toml").write_text("[server]\nport = 0\n", encoding="utf-8")
        started.append(Server(Home(root), environ))
        return started[-1]

    yield run
    for server in started:
        server.stop()
