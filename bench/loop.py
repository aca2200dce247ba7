"""The longest single steps of the server's event loop, during all that is large. Prints the section of the docs.

Wall time is how long nobody else was answered: on a busy machine it also holds what others did meanwhile. Processor
time is that of the loop's own thread and says the same on any load. See bench/README.md.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import platform
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from speed.corpus import Corpus, Tier, generate
from speed.loop import REST, Step, Watched
from speed.subject import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

NODES = 10_000
FEWER = 2_000
BOUND = 20
"""Milliseconds that no step may take."""
_HEAD = """## Loop

```sh
uv run python bench/loop.py
```

makes this section anew. One loop answers everybody, so nothing may hold it for long: the longest single step during
each of these should be under {bound} ms. *Wall* is how long nobody else was answered, which on a busy machine includes
what others did; *processor* is the time of the loop's own thread, garbage collection included, and depends little on
the load. A dash: no step took 2 ms.

{date}, CPython {python}, {system}, {cores} {machine} cores, load {load}.

|  | nodes | longest, wall | longest, processor | garbage collector | where |
| --- | --: | --: | --: | --: | --- |"""
_COMMON = 24
"""So many of the most common words are searched for."""
_FIRST = "first compaction, all active"


@dataclass(frozen=True, slots=True)
class Row:
    """What was done to a memory of how many nodes, and the steps that were long."""

    title: str
    nodes: int
    steps: tuple[Step, ...]


def main() -> None:
    """Measures, prints the section, writes the JSON."""
    arguments = _arguments()
    nodes = arguments.nodes
    sizes = [FEWER, nodes] if nodes > FEWER else [nodes]
    memories: dict[str, Callable[[], Iterator[Row]]] = {
        "settled": lambda: _settled(nodes),
        "active": lambda: itertools.chain.from_iterable(_active(size, looks=size == nodes) for size in sizes),
        "imported": lambda: _imported(nodes),
    }
    rows = []
    for name in arguments.only or memories:
        for row in memories[name]():
            rows.append(row)
            time.sleep(arguments.rest)
    print(_section(rows))
    if arguments.json:
        record = {"conditions": _conditions(), "rows": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=NODES, help=f"size of the memory (default: {NODES})")
    parser.add_argument(
        "--only", action="append", choices=("settled", "active", "imported"), help="one of the three memories alone"
    )
    parser.add_argument(
        "--rest", type=float, default=REST, help=f"seconds of quiet after each of them (default: {REST})"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all long steps to FILE")
    return parser.parse_args()


def _settled(nodes: int) -> Iterator[Row]:
    """A memory as it is after a while: nearly all of it out of sight."""
    corpus = generate(nodes, now=time.time())
    archived = next(lesson.id for lesson in corpus.lessons if lesson.tier is Tier.ARCHIVED)
    with _prepared(corpus) as server:
        server.start()
        yield _done(server, "load and index", nodes, lambda: server.load(nodes))
        yield _done(server, "session start event", nodes, lambda: server.preload(1))
        yield _done(server, "full read", nodes, server.read_full)
        yield _done(server, "`kg show` of all", nodes, server.show)
        yield _done(server, "search for the most common words", nodes, lambda: server.search(_common(corpus)))
        yield _done(server, "prompt of the most common words", nodes, lambda: server.prompt(_common(corpus)))
        yield _done(server, "snapshot after the load", nodes, server.snapshot)
        yield _done(server, "snapshot, the next", nodes, server.snapshot)
        yield _done(server, "backup", nodes, server.backup)
        yield _done(server, "export", nodes, server.export)
        yield _done(server, "`kg why` of an archived lesson", nodes, lambda: server.why(archived))
        yield _done(server, "one node edited in the file", nodes, lambda: server.edit(every=False))
        yield _done(server, "every node edited in the file", nodes, lambda: server.edit(every=True))
        yield _done(server, "`kg_sync` of all of these", nodes, server.sync)


def _active(nodes: int, *, looks: bool) -> Iterator[Row]:
    """A memory that was never compacted: all of it in sight, but for one lesson."""
    corpus = generate(nodes, now=time.time())
    lessons = [replace(lesson, tier=Tier.ACTIVE) for lesson in corpus.lessons]
    lessons[0] = replace(lessons[0], tier=Tier.ARCHIVED)
    with _prepared(replace(corpus, lessons=tuple(lessons))) as server:
        server.start()
        if not looks:
            server.load(nodes)
        else:
            yield _done(server, "load, session start and full read, all active", nodes, lambda: server.load(nodes))
            yield _done(server, "`kg why`, all others active", nodes, lambda: server.why(lessons[0].id))
            yield _done(server, "full read, all active", nodes, server.read_full)
            yield _done(server, "session start event, all active", nodes, lambda: server.preload(1))
            yield _done(server, "`kg show` of all, all active", nodes, server.show)
            yield _done(server, "`kg preview`, all active", nodes, server.preview)
        yield _done(server, _FIRST, nodes, lambda: server.compaction(nodes))


def _imported(nodes: int) -> Iterator[Row]:
    """A memory that is imported into a running server, from the file of the MCP memory server."""
    corpus = generate(nodes, now=time.time())
    with _prepared(Corpus((), (), ())) as server:
        server.start()
        server.open_session()
        source = server.source(_entities(corpus))
        yield _done(server, "`kg import`, with its compaction", nodes, lambda: _import(server, source, nodes))
        yield _done(server, "`kg_sync` of all that was imported", nodes, server.sync)
        yield _done(server, "the same `kg import` again", nodes, lambda: server.take_over(source))
        server.stop()
        server.start()
        yield _done(server, "load with the journal of it", nodes, lambda: server.load(nodes))


def _import(server: Watched, source: Path, nodes: int) -> None:
    server.take_over(source)
    server.compacted(nodes)


def _common(corpus: Corpus) -> str:
    """The words that most lessons have."""
    counts = Counter(word for lesson in corpus.lessons for word in set(lesson.gist.split()))
    return " ".join(word for word, _ in counts.most_common(_COMMON))


def _entities(corpus: Corpus) -> str:
    """The lessons and links as the official MCP memory server writes them."""
    entities: list[dict[str, object]] = [
        {"type": "entity", "name": lesson.id, "entityType": "lesson", "observations": [lesson.gist, *lesson.notes]}
        for lesson in corpus.lessons
    ]
    relations: list[dict[str, object]] = [
        {"type": "relation", "from": link.source, "to": link.target, "relationType": link.rel} for link in corpus.links
    ]
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in (*entities, *relations)) + "\n"


def _done(server: Watched, title: str, nodes: int, do: Callable[[], object]) -> Row:
    print(f"{nodes:,} nodes: {title}", file=sys.stderr, flush=True)
    began = time.perf_counter()
    do()
    server.settle()
    return Row(title, nodes, tuple(server.steps(began)))


@contextlib.contextmanager
def _prepared(corpus: Corpus) -> Iterator[Watched]:
    """A server that is not started yet, over the memory, in a scratch folder of its own."""
    with tempfile.TemporaryDirectory(prefix="kg-bench-") as folder:
        places = Places(Path(folder))
        places.make()
        server = Watched(places)
        if corpus.lessons:
            server.prepare(corpus)
        try:
            yield server
        finally:
            server.stop()


def _section(rows: list[Row]) -> str:
    lines = [_HEAD.format(bound=BOUND, **_conditions())]
    for row in rows:
        longest = max(row.steps, key=lambda step: step.cpu, default=None)
        cells = [row.title, f"{row.nodes:,}"]
        if longest is None:
            cells += ["–", "–", "–", ""]
        else:
            columns = ([getattr(step, name) for step in row.steps] for name in ("wall", "cpu", "collector"))
            cells += [f"{max(column) * 1000:.1f} ms" for column in columns]
            cells.append(f"`{longest.name}`")
        lines.append("| " + " | ".join(cells) + " |")
    missed = [row.title for row in rows if any(step.cpu * 1000 > BOUND for step in row.steps)]
    if missed:
        lines.append(f"\n**Missed:** {', '.join(missed)}.")
    if compactions := _compactions(rows):
        lines.append(compactions)
    return "\n".join(lines)


def _compactions(rows: Iterable[Row]) -> str:
    """How long the first compactions took, from the first of their long steps to the end of the last one."""
    took = []
    for row in rows:
        steps = [step for step in row.steps if "Compaction" in step.name]
        if row.title == _FIRST and steps:
            seconds = max(step.began + step.wall for step in steps) - min(step.began for step in steps)
            took.append(f"{seconds:.2f} s at {row.nodes:,} lessons")
    return f"\nThe first compaction, from its first step to its last: {', '.join(took)}." if took else ""


def _conditions() -> dict[str, object]:
    now = time.gmtime()
    return {
        "date": f"{now.tm_mday} {time.strftime('%B %Y', now)}",
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


if __name__ == "__main__":
    main()
