"""Measures what one event costs as the real clients wait for it. See bench/README.md."""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.acceptance.clients import HOW, found
from tests.acceptance.network import Loopback

from speed.peer import installed
from waits.alone import Alone
from waits.alone import measured as alone
from waits.clients import BY_PROCESS, CLIENTS, sessions, staged
from waits.figures import START, Waits, markdown
from waits.whole import WAYS

if TYPE_CHECKING:
    from waits.clients import Client
    from waits.session import Session

PROMPT: Final = "prompt"
_TALK: Final = 10
"""Prompts after which each client is started anew: processes of one client differ among each other, and what is said
before makes a client slower."""


def main() -> None:
    """Parses the arguments, measures, prints the table, writes the JSON."""
    arguments = _arguments()
    clients = WAYS if arguments.whole else CLIENTS
    chosen = [client for client in clients if not arguments.only or client.program in arguments.only]
    has_peer = not arguments.no_peer and not arguments.whole
    python = installed(arguments.peer_environment.absolute()) if has_peer else None
    load = os.getloadavg()[0]
    network = Loopback()
    measured: list[Waits] = []
    processes: dict[str, Alone] = {}
    try:
        for client in chosen:
            if found(client.program) is None:
                _say(f"{client.name} is left out, as it is not here; this brings it: {HOW}")
                continue
            with sessions(client, network, python) as by_title:
                measured.append(_measured(client, by_title, arguments.runs, arguments.starts))
        with staged(network) as stage:
            processes = alone(stage, 2 * arguments.runs)
    finally:
        network.close()
        _report(measured, processes, load, arguments.json)


def _report(measured: list[Waits], processes: dict[str, Alone], load: float, file: Path | None) -> None:
    """Prints what was measured, and writes it down."""
    print(markdown(measured))
    for title, taken in processes.items():
        print(f"\nAs a process, {title}: {taken.wall:.1f} ms, of which a processor {taken.processor:.1f} ms.")
    machine = f"CPython {platform.python_version()}, {platform.system()}, {os.cpu_count()} {platform.machine()} cores"
    print(f"\n{time.strftime('%-d %B %Y', time.gmtime())}, {machine}, load {load:.1f} before.")
    if file is not None:
        file.write_text(json.dumps([asdict(waits) for waits in measured], indent=2) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=12, help="prompts of each session, 15 events each (default: 12)")
    parser.add_argument("--starts", type=int, default=7, help="starts of each client (default: 7)")
    parser.add_argument(
        "--only", action="append", choices=[client.program for client in CLIENTS], help="one client alone"
    )
    parser.add_argument(
        "--whole", action="store_true", help="compare ways to bring all of a memory at the start instead"
    )
    parser.add_argument("--no-peer", action="store_true", help="leave kg-memory 0.17.0 out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every single wait to FILE")
    parser.add_argument(
        "--peer-environment",
        type=Path,
        default=Path(__file__).parents[1] / ".cache" / "bench-peer",
        help="virtual environment of the peer; made with pip when it is not there (default: .cache/bench-peer)",
    )
    return parser.parse_args()


def _measured(client: Client, by_title: dict[str, Session], runs: int, starts: int) -> Waits:
    """The waits of one client. The sessions take turns, and take turns at being first."""
    waits = Waits(client.name, dict(client.carriers), dict(client.starts), dict(client.bases))
    order = list(by_title)
    for number in range(starts + 1):
        _say(f"{client.name}: start {number} of {starts}")
        for title in order:
            seconds = by_title[title].start()
            if number and title != BY_PROCESS:  # the first one fills caches, and starts the server
                waits.add(START, title, [seconds])
        order.append(order.pop(0))
    for first in range(0, runs, _TALK):
        if first:
            for title in order:
                by_title[title].start()
        for number in range(min(_TALK, runs - first) + 1):
            _say(f"{client.name}: prompt {first + number} of {runs}")
            for title in order:
                gc.disable()
                asked, looked = by_title[title].prompt(f"Look at it, {number}.")
                gc.enable()
                if number:  # the first one warms up
                    if title != BY_PROCESS:
                        waits.add(PROMPT, title, [asked])
                    waits.add(client.looking, title, looked)
            order.append(order.pop(0))
    return waits


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
