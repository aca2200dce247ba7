"""Measures what one event costs as the real clients wait for it. See bench/README.md."""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.acceptance.anthropic import Messages
from tests.acceptance.claude import Claude
from tests.acceptance.clients import client
from tests.acceptance.codex import Codex
from tests.acceptance.completions import Completions
from tests.acceptance.copilot import Copilot
from tests.acceptance.endpoint import Call, Endpoint, Turn
from tests.acceptance.machine import Machine
from tests.acceptance.network import Loopback
from tests.acceptance.openai import Responses

from kg_core.host import Plugins
from kg_core.store import Home
from kg_server.setup.launch import launch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tests.acceptance import claude as claude_driver
    from tests.acceptance import codex as codex_driver
    from tests.acceptance import copilot as copilot_driver

EVENTS = 15
"""Tool calls of one prompt, each of them one event for kg."""


class Session:
    """A running client that answers each prompt with a fixed number of tool calls, one after the other."""

    def __init__(
        self, talk: claude_driver.Talk | codex_driver.Talk | copilot_driver.Talk, model: Endpoint, look: Call
    ) -> None:
        self._talk, self._model, self._look = talk, model, look

    def seconds(self, prompt: str) -> float:
        """How long one prompt takes."""
        self._model.script(*(Turn(calls=(self._look,)) for _ in range(EVENTS)))
        start = time.perf_counter()
        self._talk.say(prompt)
        return time.perf_counter() - start


def main() -> None:
    """Parses the arguments, measures, prints the table, writes the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="prompts of each session (default: 15)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    arguments = parser.parse_args()
    taken: dict[str, dict[str, list[float]]] = {}
    network = Loopback()
    try:
        taken["Claude Code"] = _taken("Claude Code", _claude_sessions(network), arguments.runs)
        taken["Codex"] = _taken("Codex", _codex_sessions(network), arguments.runs)
        taken["Copilot CLI"] = _taken("Copilot CLI", _copilot_sessions(network), arguments.runs)
        hook_client = _hook_client(network, 2 * arguments.runs + 1)
    finally:
        network.close()
    print("| | of the medians | of the shortest |\n|---|--:|--:|")
    for name, by_title in taken.items():
        (_, bare), *others = by_title.items()
        for title, seconds in others:
            costs = (_cost(statistics.median, seconds, bare), _cost(min, seconds, bare))
            print(f"| {name}, {title} | {costs[0]:.1f} ms | {costs[1]:.1f} ms |")
    whole = (statistics.median(hook_client) * 1000, min(hook_client) * 1000)
    print(f"| hook client, the whole process | {whole[0]:.1f} ms | {whole[1]:.1f} ms |")
    if arguments.json:
        arguments.json.write_text(json.dumps(taken, indent=2) + "\n", encoding="utf-8")


def _cost(middle: Callable[[Sequence[float]], float], seconds: Sequence[float], bare: Sequence[float]) -> float:
    """Milliseconds an event costs: the difference of two sessions' prompts, spread over their events."""
    return (middle(seconds) - middle(bare)) * 1000 / EVENTS


def _taken(
    name: str, sessions: contextlib.AbstractContextManager[Mapping[str, Session]], runs: int
) -> dict[str, list[float]]:
    """Seconds that each session took for its prompts; the sessions take turns, and take turns at being first."""
    taken: dict[str, list[float]] = {}
    with sessions as by_title:
        for session in by_title.values():
            session.seconds("Warm up.")
        order = list(by_title)
        for number in range(runs):
            print(f"{name}: prompt {number + 1} of {runs}", file=sys.stderr)
            for title in order:
                taken.setdefault(title, []).append(by_title[title].seconds(f"Look at it, {number}."))
            order.append(order.pop(0))
        return {title: taken[title] for title in by_title}


@contextlib.contextmanager
def _claude_sessions(network: Loopback) -> Iterator[Mapping[str, Session]]:
    with contextlib.ExitStack() as stack:

        def session(prepare: Callable[[Machine, Claude], None]) -> Session:
            machine = stack.enter_context(_machine(network, "claude"))
            model = stack.enter_context(contextlib.closing(Endpoint(Messages(), network)))
            claude = Claude(machine, model)
            prepare(machine, claude)
            folder = machine.repository()
            look = Call(name="Read", arguments={"file_path": str(folder / "readme.txt")})
            return Session(stack.enter_context(claude.talk(folder)), model, look)

        yield {
            "without kg": session(lambda *_: None),
            "MCP-tool hook": session(lambda machine, _: machine.setup("claude")),
        }


@contextlib.contextmanager
def _codex_sessions(network: Loopback) -> Iterator[Mapping[str, Session]]:
    with contextlib.ExitStack() as stack:

        def session(harnesses: Sequence[str]) -> Session:
            machine = stack.enter_context(_machine(network, "codex"))
            model = stack.enter_context(contextlib.closing(Endpoint(Responses(), network)))
            codex = Codex(machine, model)
            if harnesses:
                machine.setup(*harnesses)
            look = Call(name="exec_command", arguments={"cmd": "cat readme.txt"})
            return Session(stack.enter_context(codex.talk(machine.repository())), model, look)

        yield {"without kg": session([]), "MCP-tool hook": session(["codex"])}


@contextlib.contextmanager
def _copilot_sessions(network: Loopback) -> Iterator[Mapping[str, Session]]:
    with contextlib.ExitStack() as stack:
        unpacked = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kg-bench-")))

        def session(harnesses: Sequence[str]) -> Session:
            machine = stack.enter_context(_machine(network, "copilot"))
            model = stack.enter_context(contextlib.closing(Endpoint(Completions(), network)))
            copilot = Copilot(machine, model, unpacked)
            if harnesses:
                machine.setup(*harnesses)
            folder = machine.repository()
            look = Call(name="view", arguments={"path": str(folder / "readme.txt")})
            return Session(stack.enter_context(copilot.talk(folder)), model, look)

        yield {"without kg": session([]), "hook client": session(["copilot"])}


def _hook_client(network: Loopback, runs: int) -> list[float]:
    """Seconds of the hook client as a whole process, from its start to its end, on a session's start event."""
    harness = Plugins.load().harness("claude")
    assert harness is not None
    taken = []
    with _machine(network, "claude") as machine:
        machine.kg("start")
        command = launch(Home(machine.memory), harness).hook["SessionStart"]
        event = {"session_id": "bench", "cwd": str(machine.repository()), "hook_event_name": "SessionStart"}
        for _ in range(runs):
            start = time.perf_counter()
            subprocess.run(
                ["/bin/sh", "-c", command],
                input=json.dumps(event).encode(),
                stdout=subprocess.DEVNULL,
                env=machine.environ(),
                check=True,
            )
            taken.append(time.perf_counter() - start)
    return taken


@contextlib.contextmanager
def _machine(network: Loopback, name: str) -> Iterator[Machine]:
    with tempfile.TemporaryDirectory(prefix="kg-bench-") as folder:
        machine = Machine(Path(folder), network, (client(name),))
        try:
            yield machine
        finally:
            machine.stop()


if __name__ == "__main__":
    main()
