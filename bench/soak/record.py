"""What a run left behind, and the judgement of it: pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from soak.book import losses, lost_turns
from soak.sizes import course, excesses
from soak.trouble import counted, unannounced

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from soak.book import Book, Stored
    from soak.sizes import Sample
    from soak.trouble import Complaint, Window

_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All that is judged. ``failures`` are what the run itself found wrong while it went on."""

    seconds: float
    seed: int
    disk: str
    books: Sequence[Book]
    stored: Mapping[str, Stored]
    complaints: Sequence[Complaint]
    windows: Sequence[Window]
    samples: Sequence[Sample]
    counts: Mapping[str, int]
    slowest_return: float
    failures: Sequence[str] = ()
    left_processes: Mapping[int, str]
    left_files: Sequence[str] = ()


def violations(record: Record) -> list[str]:
    """What must not have happened, in sentences; none when the run passed."""
    return [
        *record.failures,
        *(f"lost: {loss.who}: {loss.sentence}" for book in record.books for loss in losses(book, dict(record.stored))),
        *(f"lost: {loss.who}: {loss.sentence}" for loss in lost_turns(list(record.books), dict(record.stored))),
        *_errors(record),
        *(f"unbounded: {excess}" for excess in excesses(record.samples)),
        *(f"left: process {pid}: {command}" for pid, command in record.left_processes.items()),
        *(f"left: file {name}" for name in record.left_files),
    ]


def as_json(record: Record) -> dict[str, object]:
    """The record as it is kept: figures and what was wrong."""
    return {
        "seconds": round(record.seconds, 1),
        "seed": record.seed,
        "disk": record.disk,
        "counts": dict(record.counts),
        "announced errors": counted(record.complaints, record.windows),
        "slowest return": round(record.slowest_return, 2),
        "sizes": {name: dict(zip(("first", "largest", "last"), s, strict=True)) for name, s in _course(record).items()},
        "windows": [
            {"trouble": w.trouble.name.lower(), "begin": round(w.begin, 2), "end": round(w.end, 2)}
            for w in record.windows
        ],
        "violations": violations(record),
    }


def lines(record: Record) -> Iterator[str]:
    """The record as a person reads it."""
    yield f"{record.seconds:.0f} s with seed {record.seed}; the disk that was filled: {record.disk}"
    yield ", ".join(f"{count} {name}" for name, count in record.counts.items())
    yield f"after a kill, or once there was room again, the server was back within {record.slowest_return:.1f} s"
    yield "errors that are announced:"
    yield from (f"  {count:6} × {name}" for name, count in counted(record.complaints, record.windows).items())
    yield "sizes in MiB (first, largest, last):"
    for name, sizes in _course(record).items():
        yield f"  {name:13}" + "".join(f"{size / (1 << 20):8.1f}" for size in sizes)
    wrong = violations(record)
    yield f"{len(wrong)} violations" + ("" if not wrong else ":")
    yield from (f"  {sentence}" for sentence in wrong[:_SHOWN])
    if len(wrong) > _SHOWN:
        yield f"  … and {len(wrong) - _SHOWN} more"


def _course(record: Record) -> dict[str, tuple[int, int, int]]:
    return course(record.samples)


def _errors(record: Record) -> Iterator[str]:
    for one in unannounced(record.complaints, record.windows):
        yield f"unannounced: {one.who}: {one.what} at {one.begin:.1f}–{one.end:.1f} s: {one.sentence!r:.300}"
