"""What the editor tells its caller: plans, refusals, outcomes, the state of claims. Values alone."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_core.claims.record import dump

if TYPE_CHECKING:
    from pathlib import Path

    from kg_core.claims.record import Record
    from kg_core.claims.sheet import ClaimState
    from kg_plugin_api.claims import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file before and after; None where there is no file.

    ``path`` is as claimed, ``target`` with symlinks followed. ``mode`` is set when the permission bits change too.
    """

    path: Path
    target: Path
    before: bytes | None
    after: bytes | None
    mode: int | None = None

    def diff(self) -> str:
        """A unified diff, with the path as claimed."""
        return "".join(self._unified())

    def extent(self) -> tuple[int, int]:
        """How many lines the diff adds, and how many it takes out."""
        _, _, *hunks = self._unified() or ("", "")
        return sum(line.startswith("+") for line in hunks), sum(line.startswith("-") for line in hunks)

    def _unified(self) -> list[str]:
        old, new = (_lines(data) for data in (self.before, self.after))
        return list(
            difflib.unified_diff(
                old,
                new,
                str(self.path) if self.before is not None else "/dev/null",
                str(self.path) if self.after is not None else "/dev/null",
            )
        )


def _lines(data: bytes | None) -> list[str]:
    if not data:
        return []
    lines = data.decode("utf-8", "replace").split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return [*ended, lines[-1] + "\n\\ No newline at end of file\n"] if lines[-1] else ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A claim that was not put (or could not be taken out); its file stays untouched.

    ``reason`` is a sentence, ``snippet`` what a person pastes in (or takes out) by hand.
    """

    path: Path
    keys: tuple[str, ...]
    reason: str
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Worth a line for the person: something was left because somebody changed it.

    ``whole``: it is a file of ours, and what we wrote may still be in it.
    """

    path: Path
    sentence: str
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What ``apply`` would write. ``goal`` is what the disk shall hold, so that it can be planned again.

    Files are changed in the order of ``changes``; a file with a refusal is not among them.
    """

    goal: tuple[Claim, ...]
    changes: tuple[FileChange, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[Note, ...]
    made: tuple[Path, ...]
    """Folders to make, outermost first."""
    emptied: tuple[Path, ...]
    """Folders of ours to remove when they are empty, innermost first."""
    old: Record
    new: Record
    stored: bytes | None
    """The record's file when this was planned."""
    left: tuple[Claim, ...] = ()
    """What counted as ours although no record holds it."""

    @property
    def empty(self) -> bool:
        """Whether apply would write nothing."""
        return not self.changes and dump(self.new) == self.stored

    def diff(self) -> str:
        """A unified diff of all files."""
        return "".join(change.diff() for change in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A file that could not be written, and why."""

    path: Path
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run did. ``open`` are the files not tried after a failure; ``backup`` holds this run's originals."""

    done: tuple[Path, ...]
    failed: Failure | None
    open: tuple[Path, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[Note, ...]
    backup: Path | None

    @property
    def ok(self) -> bool:
        """Whether everything is as it was asked for."""
        return self.failed is None and not self.refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimStatus:
    """How one claim stands on disk. ``ours``: we put it there. ``sentence`` is empty when it is present."""

    claim: Claim
    state: ClaimState
    ours: bool
    sentence: str
