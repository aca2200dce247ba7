"""The journal on disk: segments of lines under one global sequence. Blocking; called from one thread at a time."""

from __future__ import annotations

import contextlib
import errno
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kg_core.model import DAY
from kg_core.store.files import replace_file
from kg_core.store.lines import Header, SnapshotMark, body, frame
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from kg_core.model import GraphKey, Millis
    from kg_core.store.files import Appending, Files

SUFFIX: Final = ".jsonl"
SEGMENT_BYTES: Final = 1 << 20
"""Size after which the next batch opens a new segment."""
KEPT_BYTES: Final = 16 << 20
KEPT_FOR: Final = 7 * DAY


@dataclass(slots=True)
class Segment:
    """One file of the journal; ``last`` is below ``first`` while it holds no entry."""

    path: Path
    first: int
    last: int
    size: int
    newest: Millis


@dataclass(slots=True)
class Journal:
    """Appends batches, remembers which contents the files may have, and drops segments nobody needs.

    ``durable`` is the last sequence on disk. A failed append leaves nothing that a later start would take for an entry:
    the file is cut back, and should that fail too, the next segment's first sequence voids what is left.

    ``is_held`` makes sure that the journal is ours alone and tells whether it has been so all the time; it is asked
    before anything changes, and again before an append counts.
    """

    files: Files
    folder: Path
    durable: int = 0
    segments: list[Segment] = field(default_factory=list)
    marks: dict[GraphKey, tuple[SnapshotMark, ...]] = field(default_factory=dict)
    kept_bytes: int = KEPT_BYTES
    kept_for: Millis = KEPT_FOR
    is_held: Callable[[], bool] = lambda: True
    _open: Appending | None = None
    _lost: list[Path] = field(default_factory=list)
    _begun: Path | None = None

    def append(self, entries: Sequence[bytes], at: Millis, adopted: Sequence[SnapshotMark] = ()) -> None:
        """Makes a batch of entries durable. ``adopted`` are files whose graphs are written to for the first time.

        Raises OSError, and CONFLICT when the journal is no longer ours; then none of the batch is.
        """
        first = self.durable + 1
        lines = [frame(first, body(mark)) for mark in adopted]
        lines += [frame(first, entry) for entry in entries]
        segment = self._write(b"".join(lines))
        self._remember(adopted)
        self.durable += len(entries)
        segment.last = self.durable
        segment.newest = max(segment.newest, at)

    def mark(self, mark: SnapshotMark) -> None:
        """Makes durable which content a file is about to have, or has. Raises what :meth:`append` raises."""
        self._write(frame(self.durable + 1, body(mark)))
        self._remember((mark,))

    def retire(self, snapshotted: int, watermark: int | None, now: Millis) -> int:
        """Drops segments whose entries are all in the files and that no one asks for, or that are too old or too many.

        ``watermark`` is the last sequence that every reader has; ``None`` when that is not known yet. Returns the
        sequence from which on all entries are still here, less one. Raises what :meth:`append` raises.
        """
        self.confirm()
        snapshotted = min((snapshotted, *self._doubtful()))
        total = sum(segment.size for segment in self.segments)
        while len(self.segments) > 1:
            oldest = self.segments[0]
            unneeded = watermark is not None and oldest.last <= watermark
            outdated = oldest.newest < now - self.kept_for or total > self.kept_bytes
            if oldest.last > snapshotted or not (unneeded or outdated):
                break
            self.files.remove(oldest.path)
            total -= oldest.size
            del self.segments[0]
        return self.segments[0].first - 1 if self.segments else self.durable

    def check(self) -> bool:
        """Whether all segments are whole and where they belong; those that are gone or were cut are let go of.

        What was in them must be in the files soon, and what comes next gets a new one. Raises CONFLICT when the journal
        is no longer ours, and OSError.
        """
        self.confirm()
        found = [(segment, self._size(segment)) for segment in self.segments]
        whole = [segment for segment, size in found if size is not None and size >= segment.size]
        if len(whole) == len(self.segments) and not self._is_elsewhere():
            return True
        self.close()
        self._lost += [segment.path for segment, _ in found if segment not in whole]
        self.segments = whole
        return False

    def clear(self) -> None:
        """Removes what is left of segments that were lost, and those before them, which would end in a gap.

        All that they held is in the files now. Raises OSError.
        """
        if self._lost:
            last = max(self._lost)
            for path in (*(segment.path for segment in self.segments if segment.path < last), *self._lost):
                self.files.remove(path)
            self.segments = [segment for segment in self.segments if segment.path > last]
            self._lost = []

    def close(self) -> None:
        """Gives the handle back. What was appended is on disk already."""
        if self._open is not None:
            handle, self._open = self._open, None
            handle.close()

    def _write(self, data: bytes) -> Segment:
        self.confirm()
        if self._open is not None and (self.segments[-1].size >= SEGMENT_BYTES or self._is_lost(0)):
            self.close()
        if self._open is None:
            self._open = self._new_segment()
        segment = self.segments[-1]
        try:
            self._open.append(data)
            self._open.sync()
            self.confirm()
            if self._is_lost(len(data)):
                raise OSError(errno.ENOENT, "it was removed or cut at this moment", str(segment.path))
        except BaseException:
            self._abandon(segment)
            raise
        segment.size += len(data)
        return segment

    def confirm(self) -> None:
        """Raises CONFLICT when another server has had the journal meanwhile: what we know is out of date then."""
        if self.is_held():
            return
        is_strange = self._is_elsewhere() and self.files.identity(self.segments[-1].path) is not None
        if is_strange or self._strange():
            self.is_held = _refuse
            _refuse()

    def _doubtful(self) -> list[int]:
        """Where the entries begin that are needed while one of several contents may be a file's: after the oldest."""
        return [marks[0].sequence if marks[0].done else 0 for marks in self.marks.values() if not marks[-1].done]

    def _strange(self) -> set[Path]:
        """The segments that are none of ours."""
        ours = {self._begun, *self._lost, *(segment.path for segment in self.segments)}
        return {*segment_paths(self.files.names(self.folder), self.folder)} - ours

    def _is_elsewhere(self) -> bool:
        """Whether the open segment was removed or moved: what is appended to it would be found by nobody."""
        return self._open is not None and not self._open.is_at(self.segments[-1].path)

    def _is_lost(self, appended: int) -> bool:
        """Whether the open segment, to which so many bytes were added, was removed, moved or cut."""
        segment = self.segments[-1]
        return self._is_elsewhere() or (self._size(segment) or 0) < segment.size + appended

    def _size(self, segment: Segment) -> int | None:
        """How many bytes a segment's file has; ``None`` when it is gone."""
        identity = self.files.identity(segment.path)
        return None if identity is None else identity.size

    def _new_segment(self) -> Appending:
        """A segment that starts behind the last durable entry. It replaces one of that name, which then holds none."""
        first = self.durable + 1
        path = self.folder / f"{first:016d}{SUFFIX}"
        marks = tuple(mark for marks in self.marks.values() for mark in marks)
        header = frame(first, body(Header(first=first, marks=marks)))
        self.files.make_folder(self.folder)
        if any(other >= path for other in self._strange()):  # as on a disk that came after we had started without it
            self.is_held = _refuse
            _refuse()
        self._begun = path
        replace_file(self.files, path, (header,))
        handle = self.files.open_append(path)
        if self.segments and self.segments[-1].path == path:
            del self.segments[-1]
        if path in self._lost:
            self._lost.remove(path)
        self.segments.append(Segment(path, first, first - 1, len(header), 0))
        return handle

    def _abandon(self, segment: Segment) -> None:
        """Cuts the segment back to what was acknowledged, as well as the disk allows, and uses it no more.

        One that somebody else has cut stays as it is: it would be filled up with nothing, and pass for whole.
        """
        handle, self._open = self._open, None
        if handle is not None:
            with contextlib.suppress(OSError):
                if (self._size(segment) or 0) > segment.size:
                    handle.truncate(segment.size)
                    handle.sync()
            with contextlib.suppress(OSError):
                handle.close()

    def _remember(self, marks: Sequence[SnapshotMark]) -> None:
        for mark in marks:
            self.marks[mark.graph] = remembered(self.marks.get(mark.graph, ()), mark)


def segment_paths(names: Iterable[str], folder: Path) -> list[Path]:
    """The segments among the names, in order of their sequence."""
    return [folder / name for name in sorted(names) if name.endswith(SUFFIX) and name.removesuffix(SUFFIX).isdigit()]


def _refuse() -> bool:
    raise KgError(Code.CONFLICT, "Not saved: another kg server has written to this memory meanwhile. Run `kg restart`.")


def remembered(known: tuple[SnapshotMark, ...], mark: SnapshotMark) -> tuple[SnapshotMark, ...]:
    """The contents a file may have once ``mark`` is durable: the done one, and those about to take its place."""
    return (mark,) if mark.done else (*known, mark)
