"""The demonstration: what happens, and what each agent would see."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.store import Home
from kg_plugin_api import Code, KgError
from kg_server.client import Client
from kg_server.demo.agent import Agent
from kg_server.demo.harness import HARNESSES
from kg_server.lifecycle.control import tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_START_SECONDS: Final = 20.0


def play(say: Callable[[str, str], None]) -> None:
    """Plays the session in a temporary folder, which is gone afterwards. ``say`` gets a heading and what is seen."""
    ada, bob = HARNESSES
    # The folder is the home of its own server, because folders among temporary files are nobody's project.
    with tempfile.TemporaryDirectory(prefix="kg-demo-") as folder:
        place = Path(folder).resolve()
        home, project = Home(place / ".kg"), place / "shop"
        (project / "src").mkdir(parents=True)
        home.root.mkdir(mode=0o700)
        with _served(home, place), Agent(home, ada, project) as first, Agent(home, bob, project / "src") as second:
            say("Ada starts a session in shop. Before its first prompt, it is given:", first.start())
            say(
                "Ada has found out something and calls kg_put_node:",
                first.call(
                    "kg_put_node",
                    level="project",
                    id="retry-needs-jitter",
                    gist="Retries of the payment client need random jitter: without it all workers come back at once.",
                    notes=["Seen on 3 March: 40 workers, one burst a minute, all refused."],
                    touches=["src/pay.py"],
                ),
            )
            say("Bob, another agent, starts in shop/src. Before its first prompt, it is given:", second.start())
            say("Bob asks for the reason with kg_read:", second.call("kg_read", ids=["retry-needs-jitter"]))
            say(
                "Bob learns something as well and calls kg_put_node:",
                second.call(
                    "kg_put_node",
                    level="project",
                    id="sandbox-keys-expire-monthly",
                    gist="The keys of the payment sandbox expire on the first of each month.",
                ),
            )
            say(
                "Ada's user types a prompt. Together with it, Ada is given:",
                first.prompt("Why do the payment tests fail today?"),
            )


@contextmanager
def _served(home: Home, place: Path) -> Iterator[None]:
    """A real server process for the demonstration's memory."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    home.state.mkdir(mode=0o700)
    with home.log.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "kg_server.demo", str(home.root)],
            env={**environ, "HOME": str(place)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        with Client(home) as client:
            _await(client, process, home)
        yield
    finally:
        process.terminate()
        process.wait()


def _await(client: Client, process: subprocess.Popen[bytes], home: Home) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while client.health() is None:
        if process.poll() is not None or time.monotonic() > deadline:
            raise KgError(Code.UNAVAILABLE, "The demo's server did not start. " + " ".join(tail(home, 3)))
        time.sleep(0.02)
