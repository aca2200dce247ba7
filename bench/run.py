"""Measures kg, and with --peer the published kg-memory 0.17.0, on the same memory in one run. See bench/README.md."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from speed import peer, wheels
from speed.corpus import Corpus, generate
from speed.kg import Kg
from speed.measure import Sample, interleaved, operations
from speed.peer import Peer
from speed.subject import Places, Subject
from speed.table import Row, as_json, growth, markdown, tails

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

STARTS = 5
BRIDGES = 7
IDLE_SECONDS = 2.0
TAILED = 100
"""So many repetitions have a 99th percentile."""


def main() -> None:
    """Parses the arguments, measures, prints the table, writes the JSON."""
    arguments = _arguments()
    makers: list[Callable[[Places], Subject]] = [Kg]
    if arguments.peer:
        commands = wheels.installed(arguments.environment.absolute())
        python = peer.installed(arguments.peer_environment.absolute())
        makers = [lambda places: Kg(places, commands), lambda places: Peer(places, python)]
    conditions = _conditions()
    rows = [*_empty(makers)]
    for nodes in arguments.sizes:
        rows += _filled(makers, nodes, arguments.repetitions)
    titles = list(rows[0].samples)
    print(markdown(rows, titles))
    if arguments.repetitions >= TAILED:
        print(f"\n{titles[0]}\n\n{tails(rows, titles[0])}")
    for line in growth(rows):
        print(f"\n{line}")
    if arguments.json:
        text = json.dumps(as_json(rows, conditions), indent=2, ensure_ascii=False)
        arguments.json.write_text(text + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sizes",
        type=lambda text: [int(part) for part in text.split(",")],
        default=[300, 2_000, 10_000],
        help="numbers of nodes, with commas between (default: 300,2000,10000)",
    )
    parser.add_argument("--peer", action="store_true", help="measure kg-memory 0.17.0 beside it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--repetitions", type=int, default=15, help="of each operation (default: 15)")
    parser.add_argument(
        "--environment",
        type=Path,
        default=Path(__file__).parents[1] / ".cache" / "bench-kg",
        help="virtual environment of kg beside the peer, made anew from wheels (default: .cache/bench-kg)",
    )
    parser.add_argument(
        "--peer-environment",
        type=Path,
        default=Path(__file__).parents[1] / ".cache" / "bench-peer",
        help="virtual environment of the peer; made with pip when it is not there (default: .cache/bench-peer)",
    )
    return parser.parse_args()


def _empty(makers: Sequence[Callable[[Places], Subject]]) -> list[Row]:
    """Start, idle memory and the bridge's first answer, on an empty memory."""
    starts: dict[str, list[float]] = {}
    memory: dict[str, list[float]] = {}
    bridges: dict[str, list[float]] = {}
    for turn in range(STARTS):
        _say(f"empty memory: start {turn + 1} of {STARTS}")
        for make in makers:
            with _running(make, None) as (subject, seconds):
                starts.setdefault(subject.title, []).append(seconds * 1000)
                time.sleep(IDLE_SECONDS)
                memory.setdefault(subject.title, []).append(subject.resident_mib())
                if turn == STARTS - 1:
                    bridges[subject.title] = [subject.first_answer() * 1000 for _ in range(BRIDGES)]
    return [
        _row("start to healthy", None, "ms", starts),
        _row("idle memory", None, "MiB", memory),
        _row("`kg mcp` to its first answer", None, "ms", bridges),
    ]


def _filled(makers: Sequence[Callable[[Places], Subject]], nodes: int, repetitions: int) -> list[Row]:
    """Every operation on a memory of this many nodes."""
    _say(f"{nodes:,} nodes: writing the memory and starting")
    corpus = generate(nodes, now=time.time())
    rows = []
    with contextlib.ExitStack() as stack:
        subjects = [stack.enter_context(_running(make, corpus))[0] for make in makers]
        for subject in subjects:
            subject.open_session()
            began = time.perf_counter()
            subject.indexed(nodes)
            _say(f"{nodes:,} nodes: {subject.title} has indexed them after {time.perf_counter() - began:.1f} s more")
        for operation in operations(corpus, repetitions):
            _say(f"{nodes:,} nodes: {operation.title}")
            rows.append(Row(operation.title, nodes, "ms", interleaved(subjects, operation, repetitions)))
        memory = {subject.title: [subject.resident_mib()] for subject in subjects}
        rows.append(_row("memory at the end", nodes, "MiB", memory))
    return rows


@contextlib.contextmanager
def _running(make: Callable[[Places], Subject], corpus: Corpus | None) -> Iterator[tuple[Subject, float]]:
    """A started subject in a scratch folder of its own, and the seconds its start took."""
    with tempfile.TemporaryDirectory(prefix="kg-bench-") as folder:
        places = Places(Path(folder))
        places.make()
        subject = make(places)
        if corpus is not None:
            subject.prepare(corpus)
        seconds = subject.start()
        try:
            yield subject, seconds
        finally:
            subject.stop()


def _row(title: str, nodes: int | None, unit: str, values: dict[str, list[float]]) -> Row:
    return Row(title, nodes, unit, {subject: Sample.of(found) for subject, found in values.items()})


def _conditions() -> dict[str, object]:
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load before": round(os.getloadavg()[0], 2),
    }


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
