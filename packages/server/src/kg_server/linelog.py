"""An append-only log of JSON lines, rewritten when it has grown: what was shown to whom, and what waits for whom.

It holds no memory. A lost line means that something is offered once more, so appends are not synced, a damaged line is
skipped, and a disk that cannot be written stops nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from kg_server.carrier.regular import regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Record = dict[str, Any]
"""One line, as JSON-compatible values."""

_READ_AT_MOST = 64 * 1024 * 1024
_GROWTH_BEFORE_REWRITE = 4 * 1024 * 1024
_SLICE = 64
"""Records written between two turns of the loop while the log is rewritten."""


def _regular(path: Path, mode: str) -> BinaryIO:
    """What is written is not held back in a buffer."""
    return cast("BinaryIO", open(path, mode, buffering=-1 if mode == "rb" else 0, opener=regular))


class LineLog:
    """One file. ``append`` and ``rewrite`` are called on the loop; nothing else writes the file."""

    def __init__(self, path: Path, opening: Callable[[Path, str], BinaryIO] = _regular) -> None:
        self._path = path
        self._opening = opening
        self._file: BinaryIO | None = None
        self._opened: os.stat_result | None = None
        """The file that is appended to, as it was found when it was opened."""
        self._grown = 0
        self._tail: list[bytes] | None = None
        self._is_torn = False
        """Whether the file may end in half a line, which must not cost the next one."""
        self._lacks = False
        """Whether a record could not be added since the file was last whole."""
        self.problem = ""
        """What keeps the log from being written, in a sentence; empty when all is well."""
        self.skipped = 0
        """How many damaged lines the last load skipped."""

    def load(self) -> Iterator[Record]:
        """The records, oldest first. Lines that are no record are counted in ``skipped``."""
        self.skipped = 0
        content = self._read()
        self._grown = len(content)
        self._is_torn = bool(content) and not content.endswith(b"\n")
        for line in content.split(b"\n"):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if isinstance(record, dict):
                yield record
            else:
                self.skipped += 1

    def append(self, record: Record) -> None:
        """Adds one record. A failure is kept in ``problem``."""
        line = _encode(record)
        if self._tail is not None:
            self._tail.append(line)
        self._write(line)

    @property
    def wants_rewrite(self) -> bool:
        """Whether it lacks a record, has grown enough since the last rewrite or was taken away, and none is under way.

        What an earlier server left counts as growth: one that was killed again and again never got to rewrite it.
        """
        if self._tail is not None:
            return False
        return self._lacks or self._grown > _GROWTH_BEFORE_REWRITE or self._is_gone()

    async def rewrite(self, records: Iterable[Record]) -> None:
        """Replaces the content by ``records`` and whatever is appended meanwhile. Gives way between slices."""
        self._tail = []
        temporary = self._path.with_name(self._path.name + ".tmp")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._opening(temporary, "wb") as file:
                temporary.chmod(0o600)
                for lines in _slices(records):
                    _write_all(file, lines)
                    await asyncio.sleep(0)
                _write_all(file, b"".join(self._tail))
            self.close()
            temporary.replace(self._path)
            self._grown = 0
            self._is_torn = self._lacks = False
            self.problem = ""
        except OSError as error:
            self.problem = f"What agents were given cannot be noted in {self._path}: {error.strerror or error}."
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        finally:
            self._tail = None

    def _is_gone(self) -> bool:
        """Whether somebody has removed or moved the file that is appended to: what it holds is found by nobody."""
        try:
            return self._opened is not None and not os.path.samestat(self._opened, self._path.stat())
        except OSError:
            return True

    def close(self) -> None:
        """Closes the file; a later append opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = self._opened = None

    def _read(self) -> bytes:
        try:
            with self._opening(self._path, "rb") as file:
                file.seek(max(0, self._path.stat().st_size - _READ_AT_MOST))
                return file.read(_READ_AT_MOST)
        except FileNotFoundError:
            return b""
        except OSError as error:
            self.problem = f"What agents were given cannot be read from {self._path}: {error.strerror or error}."
            return b""

    def _write(self, line: bytes) -> None:
        try:
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._file = self._opening(self._path, "ab")
                self._opened = self._path.stat()
                self._path.chmod(0o600)
            _write_all(self._file, b"\n" + line if self._is_torn else line)
            self._grown += len(line)
            self._is_torn = False
            self.problem = ""
        except OSError as error:
            self._is_torn = self._lacks = True
            self.problem = f"What agents were given cannot be noted in {self._path}: {error.strerror or error}."
            self.close()


def _encode(record: Record) -> bytes:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _slices(records: Iterable[Record]) -> Iterator[bytes]:
    lines: list[bytes] = []
    for record in records:
        lines.append(_encode(record))
        if len(lines) == _SLICE:
            yield b"".join(lines)
            lines = []
    yield b"".join(lines)


def _write_all(file: BinaryIO, content: bytes) -> None:
    """A short write is continued; a torn last line would only cost that line."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
