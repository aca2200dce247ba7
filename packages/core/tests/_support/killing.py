"""The real disk, on which a process kills itself at a chosen operation.

``KILL_AT=append:7`` names the kind of operation and which occurrence of it: in the middle of an append, before a sync,
before or after a rename, in the middle of writing a new file. Without it nobody dies.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from kg_core.store import OsFiles

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kg_core.store.files import Appending, Identity


class Countdown:
    """Ends the process at the n-th operation of one kind."""

    def __init__(self, point: str) -> None:
        self._kind, _, number = point.partition(":")
        self._left = int(number or 0)

    def is_up(self, kind: str) -> bool:
        if kind == self._kind:
            self._left -= 1
        return kind == self._kind and self._left == 0

    def die_at(self, kind: str) -> None:
        if self.is_up(kind):
            die()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class KillingFiles(OsFiles):
    """The disk."""

    countdown = Countdown(os.environ.get("KILL_AT", ""))

    def write(self, path: Path, chunks: Iterable[bytes]) -> Identity:
        if self.countdown.is_up("file"):
            data = b"".join(chunks)
            path.write_bytes(data[: len(data) // 2])
            die()
        return super().write(path, chunks)

    def rename(self, source: Path, target: Path) -> None:
        self.countdown.die_at("before-rename")
        super().rename(source, target)
        self.countdown.die_at("after-rename")

    def open_append(self, path: Path) -> Appending:
        return KillingAppending(super().open_append(path), self.countdown)


class KillingAppending:
    """A journal's handle on it."""

    def __init__(self, inner: Appending, countdown: Countdown) -> None:
        self._inner, self._countdown = inner, countdown
        self.truncate, self.close, self.is_at = inner.truncate, inner.close, inner.is_at

    def append(self, data: bytes) -> None:
        if self._countdown.is_up("append"):
            self._inner.append(data[: len(data) // 2])
            die()
        self._inner.append(data)

    def sync(self) -> None:
        self._countdown.die_at("sync")
        self._inner.sync()
