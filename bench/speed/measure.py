"""Times operations on all subjects in turn, so that what else the machine does hits them alike."""

from __future__ import annotations

import gc
import math
import random
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from speed.corpus import Corpus, Lesson
    from speed.subject import Subject


@dataclass(frozen=True, slots=True)
class Sample:
    """What repetitions of one operation took, or weighed: a median and its surroundings.

    ``p95`` and ``p99`` are the least values that so many of a hundred do not exceed.
    """

    median: float
    least: float
    p95: float
    p99: float
    most: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Sample:
        """The sample of some values."""
        found = sorted(values)
        p95, p99 = (found[math.ceil(share * len(found)) - 1] for share in (0.95, 0.99))
        return cls(statistics.median(found), found[0], p95, p99, found[-1], len(found))


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing to time: what people call it, and how a subject does it for the n-th time."""

    title: str
    run: Callable[[Subject, int], object]


def operations(corpus: Corpus, repetitions: int) -> tuple[Operation, ...]:
    """The operations on one corpus, in the order in which they are timed; the same words for every subject."""
    source = random.Random(len(corpus.lessons))
    visible = corpus.lessons[-50:]
    three = [_query(corpus.lessons, source, 3) for _ in range(repetitions)]
    eight = [_query(corpus.lessons, source, 8) for _ in range(repetitions)]
    gists = [" ".join(source.choices(corpus.vocabulary, k=20))[:150] for _ in range(2 * repetitions)]
    return (
        Operation("preload (session start event)", lambda s, n: s.preload(n)),
        Operation("full read", lambda s, _: s.read_full()),
        Operation("read of one node", lambda s, n: s.read_node(visible[n % len(visible)].id)),
        Operation("search, 3 terms", lambda s, n: s.search(three[n])),
        Operation("search, 8 terms", lambda s, n: s.search(eight[n])),
        Operation("prompt event", lambda s, n: s.prompt(f"please look into {three[n]} before you go on")),
        Operation("event after a read", lambda s, n: s.after_read(corpus.lessons[-1 - n % len(corpus.lessons)].touch)),
        Operation("put_node, create", lambda s, n: s.put_node(f"bench-new-{n}", gists[n])),
        Operation("put_node, update", lambda s, n: s.put_node(f"bench-new-{n}", gists[repetitions + n])),
        Operation("put_edge", lambda s, n: s.put_edge(f"bench-new-{n}", visible[n % len(visible)].id)),
    )


def interleaved(subjects: Sequence[Subject], operation: Operation, repetitions: int) -> Mapping[str, Sample]:
    """Milliseconds per subject, timed in the order A B, B A, A B …"""
    taken: dict[str, list[float]] = {subject.title: [] for subject in subjects}
    for turn in range(repetitions):
        for subject in subjects if turn % 2 == 0 else tuple(reversed(subjects)):
            gc.disable()
            began = time.perf_counter()
            operation.run(subject, turn)
            taken[subject.title].append((time.perf_counter() - began) * 1000)
            gc.enable()
            subject.settle()
    return {title: Sample.of(values) for title, values in taken.items()}


def _query(lessons: Sequence[Lesson], source: random.Random, count: int) -> str:
    """Words that occur together: of one lesson's gist and notes."""
    lesson = source.choice(lessons)
    words = sorted(set(f"{lesson.gist} {lesson.notes[0]}".lower().rstrip(".").split()))
    return " ".join(source.sample(words, min(count, len(words))))
