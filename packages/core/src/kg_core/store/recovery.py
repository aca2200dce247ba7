"""The journal read back at start: what of it holds, what was torn, what was damaged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kg_core.store.entry import Entry
from kg_core.store.files import replace_file
from kg_core.store.journal import SUFFIX, Segment, remembered
from kg_core.store.lines import FORMAT, Header, Line, SnapshotMark, body, frame, parse
from kg_core.store.slices import in_slices
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kg_core.model import GraphKey
    from kg_core.store.files import Files


@dataclass(slots=True)
class Recovered:
    """What the journal says. ``damaged`` holds, per damaged segment, the sound lines to keep of it."""

    entries: list[Entry] = field(default_factory=list)
    marks: dict[GraphKey, tuple[SnapshotMark, ...]] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    damaged: dict[Path, list[bytes]] = field(default_factory=dict)
    missing: list[int] = field(default_factory=list)
    """First sequences of segments before which entries are missing."""
    gap: int = 0
    """The last sequence before which entries are missing, less one: who has seen less cannot be told all."""
    is_cut: bool = False
    """Whether the last segment was emptied: more was acknowledged than can be known."""

    @property
    def durable(self) -> int:
        """The last sequence that was ever acknowledged, as far as the journal tells."""
        marked = (mark.sequence for marks in self.marks.values() for mark in marks)
        lasts = (max(segment.last, segment.first - 1) for segment in self.segments)
        return max((*marked, *lasts), default=0)

    def floor(self, start: int) -> int:
        """The sequence after which no entry is missing, for a memory that goes on after ``start``."""
        if self.is_cut:
            return start
        return max(self.gap, self.segments[0].first - 1 if self.segments else start)


async def recover(segments: Sequence[tuple[Path, bytes]]) -> Recovered:
    """Reads the segments in order. Raises READ_ONLY when a later version wrote one."""
    recovered = Recovered()
    scan = _Scan(recovered)
    for path, data in segments:
        scan.open(path, len(data))
        async for line in in_slices(parse(data)):
            scan.take(line)
    scan.close(0)
    return recovered


def keep_damaged(files: Files, path: Path, sound: Sequence[bytes], suffix: str) -> tuple[Path, int]:
    """Keeps the damaged segment byte for byte under another name, and its sound lines in its place.

    What it is kept as, and how large the segment is now. Raises OSError.
    """
    kept = path.with_name(path.name + suffix)
    replace_file(files, kept, (files.read(path),))
    first = int(path.name.removesuffix(SUFFIX))
    header = next((line for line in sound if b'"segment"' in line[:60]), None)
    marks = next((line.value.marks for line in parse(header or b"") if line and isinstance(line.value, Header)), ())
    start = frame(first, body(Header(first=first, marks=marks, salvaged=True)))
    identity = replace_file(files, path, (start, *(line for line in sound if line is not header)))
    return kept, identity.size


class _Scan:
    """Reads one line after the other.

    An entry behind a damaged line that belongs to the same batch is a *suspect*: when nothing younger follows, the
    batch was being written when the machine stopped, and nobody was told that it is saved. Else it counts, and so does
    the damage.
    """

    def __init__(self, recovered: Recovered) -> None:
        self._into = recovered
        self._segment: Segment | None = None
        self._sound: list[bytes] = []
        self._suspects: list[Line] = []
        self._expected = 0
        self._bad = False
        self._is_damaged = False
        self._lenient = False
        self._has_header = False

    def open(self, path: Path, size: int) -> None:
        """Begins a segment. Its first sequence voids what earlier ones hold from there on: nobody was told of it."""
        first = int(path.name.removesuffix(SUFFIX))
        self.close(first)
        while self._into.entries and self._into.entries[-1].sequence >= first:
            self._into.entries.pop()
        if self._expected and first > self._expected and not self._lenient:
            self._into.missing.append(first)
        if first > self._expected:
            self._into.gap = first - 1
        self._segment = Segment(path, first, first - 1, size, 0)
        self._into.segments.append(self._segment)
        self._sound = []
        self._expected = first
        self._bad = self._is_damaged = self._lenient = self._has_header = False

    def take(self, line: Line | None) -> None:
        """Takes in the next line of the segment."""
        if line is None:
            self._bad = True
        elif self._bad and isinstance(line.value, Entry) and line.batch <= self._expected < line.value.sequence:
            self._suspects.append(line)
        else:
            self._settle(line.batch)
            self._is_damaged = self._is_damaged or self._bad
            self._accept(line)

    def close(self, following: int) -> None:
        """End the segment; ``following`` is the sequence at which the next one starts, 0 at the end of the journal.

        A segment comes to its place with its header and never without: one that has none was emptied or cut.
        """
        self._settle(following)
        if self._segment is not None and not self._has_header:
            self._is_damaged = True
            self._into.is_cut = following == 0 and self._segment.last < self._segment.first
        if self._segment is not None and self._is_damaged and not self._lenient:
            self._into.damaged[self._segment.path] = self._sound
            self._lenient = True

    def _settle(self, batch: int) -> None:
        suspects, self._suspects = self._suspects, []
        if batch > self._expected:
            for line in suspects:
                self._is_damaged = True
                self._accept(line)

    def _accept(self, line: Line) -> None:
        self._sound.append(line.data)
        match line.value:
            case Header() as header:
                self._header(header)
            case SnapshotMark() as mark:
                self._into.marks[mark.graph] = remembered(self._into.marks.get(mark.graph, ()), mark)
            case Entry() as entry:
                self._entry(entry)

    def _header(self, header: Header) -> None:
        if header.format > FORMAT:
            raise KgError(Code.READ_ONLY, "The journal was written by a later version of kg; install that to open it.")
        self._lenient, self._has_header = header.salvaged, True
        known: dict[GraphKey, tuple[SnapshotMark, ...]] = {}
        for mark in header.marks:
            known[mark.graph] = remembered(known.get(mark.graph, ()), mark)
        self._into.marks.update(known)

    def _entry(self, entry: Entry) -> None:
        if self._segment is None or entry.sequence < self._expected:
            return
        if entry.sequence > self._expected:
            self._is_damaged = self._is_damaged or not self._lenient
            self._into.gap = entry.sequence - 1
        self._into.entries.append(entry)
        self._expected = entry.sequence + 1
        self._segment.last = entry.sequence
        self._segment.newest = max(self._segment.newest, entry.at)
