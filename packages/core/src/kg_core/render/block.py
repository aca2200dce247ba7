"""Blocks of text that may be delivered, and the marks that become true once they have arrived."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class MarkKind(StrEnum):
    """What a context knows of a node once a text has arrived."""

    SEEN = "seen"
    """The gist of this version was shown."""
    READ = "read"
    """The full node of this version was shown."""
    WROTE = "wrote"
    """This context wrote this version itself."""
    FULL = "full"
    """A full read of the graph was delivered; ``id`` is empty."""
    PRELOADED = "preloaded"
    """With an id: the preload showed the gist of this version. Without: the preload itself was delivered."""
    PUSHED = "pushed"
    """Changes in the span of journal sequences in ``version`` (``after-last``) were announced; ``id`` is empty."""
    SYNCED = "synced"
    """Changes up to the journal sequence in ``version`` were listed by kg_sync; ``id`` is empty."""
    WARNED = "warned"
    """A write that drops stored notes or touches was refused once; ``version`` names that write."""
    NOTICED = "noticed"
    """A notice was shown; ``id`` names it."""
    RULE = "rule"
    """A rule was shown: ``id`` is its component, or empty, and ``version`` its wording."""
    HELD = "held"
    """The first edit of the component ``id`` was refused, with the rules that had not been shown as the reason."""
    FILE = "file"
    """Lessons came with the use of a file; ``id`` is a digest of its name."""


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """One fact about what arrived, keyed by graph, id and content version."""

    kind: MarkKind
    graph: str
    id: str = ""
    version: str = ""


class Rank(IntEnum):
    """Which blocks go first when a text must be cut: the lowest rank, and within it the lowest value."""

    ARCHIVED = 0
    EDGE = 1
    GIST = 2
    ESSENTIAL = 3
    """Never dropped: headings, instructions, notices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One or more whole lines without the last line break, offered for delivery in the order given.

    ``value`` orders blocks of one rank. ``parent`` is the position-independent name of the block without which this
    one makes no sense (an edge's node); when that is dropped, so is this. ``name`` is what others call it, or empty.
    ``heads`` says that it stands above all blocks up to the next one that does.
    """

    text: str
    rank: Rank = Rank.ESSENTIAL
    value: float = 0.0
    marks: tuple[Mark, ...] = ()
    name: str = ""
    parent: str = ""
    heads: bool = False
