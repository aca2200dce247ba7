"""How large files and processes grow: samples over a run, and the limits that they must stay within."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kg_core.store import Home

_MEBIBYTE: Final = 1 << 20

LIMITS: Final = {
    "journal": 18 * _MEBIBYTE,
    "contexts log": 32 * _MEBIBYTE,
    "state": 64 * _MEBIBYTE,
    "memory": 48 * _MEBIBYTE,
    "resident": 320 * _MEBIBYTE,
}
"""Bytes. The journal keeps 16 MiB and the segment that is being written. The contexts log holds some 110 bytes for each
lesson that a session has seen, and is rewritten after 4 MiB of growth; ``state`` holds it, two server logs of 4 MiB and
the last snapshots; ``memory`` holds the journal and the files; ``resident`` is the memory of the server's process."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Bytes by name, ``at`` seconds of the run. What could not be measured is not in it."""

    at: float
    sizes: dict[str, int]


def sample(home: Home, servers: Sequence[int], at: float) -> Sample:
    """Measures now."""
    sizes = {
        "journal": _folder(home.journal),
        "contexts log": _folder(home.state / "contexts.jsonl"),
        "state": _folder(home.state),
        "memory": _folder(home.memory),
    }
    resident = max(map(_resident, servers), default=0)
    return Sample(at, {**sizes, "resident": resident} if resident else sizes)


def excesses(samples: Iterable[Sample]) -> Iterator[str]:
    """What was larger than its limit at any time, once each."""
    largest: dict[str, int] = {}
    for one in samples:
        for name, size in one.sizes.items():
            largest[name] = max(size, largest.get(name, 0))
    for name, size in largest.items():
        if size > LIMITS[name]:
            yield f"{name} grew to {size / _MEBIBYTE:.1f} MiB; its limit is {LIMITS[name] / _MEBIBYTE:.0f} MiB"


def course(samples: Sequence[Sample]) -> dict[str, tuple[int, int, int]]:
    """The first, the largest and the last size of each, in bytes."""
    found: dict[str, list[int]] = {}
    for one in samples:
        for name, size in one.sizes.items():
            found.setdefault(name, []).append(size)
    return {name: (sizes[0], max(sizes), sizes[-1]) for name, sizes in found.items()}


def _folder(path: Path) -> int:
    """Bytes of a file or of all files in a folder; what goes away meanwhile counts nothing."""
    total = 0
    for file in [path, *path.rglob("*")] if path.exists() else []:
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:
            continue
    return total


def _resident(pid: int) -> int:
    """Bytes of resident memory of a process; 0 when it has ended."""
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=False, text=True).stdout
    return int(shown) * 1024 if shown.strip() else 0
