"""Made-up rows, the same each time, as Postgres takes them in one stream."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VOCABULARY: Final = 50_000
WORDS: Final = 40
"""In a row."""
DIMENSIONS: Final = 768
"""As many as the two local models have together."""
SUBJECTS: Final = 2_000
SPREAD: Final = 0.7
"""How far a text is from its subject, as a part of the length of both."""
GRAPH: Final = "project:p"
MODEL: Final = "made up"
COLUMNS: Final = (
    "key, ordinal, graph, item, level, tier, status, kind, tags, observer, observed, hash, digest, content, words,"
    " model, embedding"
)
HEAD: Final = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
END: Final = struct.pack(">h", -1)

_SYLLABLES: Final = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aiou"]
_FIELDS: Final = struct.pack(">h", COLUMNS.count(",") + 1)
_NO_TAGS: Final = struct.pack(">iii", 0, 0, 25)
_IN_NOTE: Final = 2 << 14
"""The mark of a note's terms on a place."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the memory is."""

    nodes: int
    rows: int

    @property
    def each(self) -> int:
        """Rows of a node."""
        return max(1, self.rows // self.nodes)

    def __str__(self) -> str:
        return f"{self.nodes:,} nodes, {self.nodes * self.each:,} rows"


def word(rank: int) -> str:
    """A word that looks like one, for its rank by frequency."""
    found = ""
    rank += len(_SYLLABLES)
    while rank:
        rank, place = divmod(rank, len(_SYLLABLES))
        found += _SYLLABLES[place]
    return found


def ranks(source: numpy.random.Generator, count: int) -> numpy.ndarray:
    """Ranks from 0 by Zipf's law: the word of rank n is n times as rare as the first."""
    return numpy.minimum((VOCABULARY ** source.random(count)).astype(int) - 1, VOCABULARY - 1)


def vectors(source: numpy.random.Generator, count: int) -> numpy.ndarray:
    """Directions around the subjects."""
    around = source.standard_normal((count, DIMENSIONS), dtype=numpy.float32)
    return _subjects()[source.integers(0, SUBJECTS, count)] + SPREAD * around


def stream(shape: Shape, first: int, last: int, words: Sequence[bytes]) -> Iterator[bytes]:
    """The rows of each node from ``first`` to before ``last``, in the binary form of COPY, without head and end."""
    source = numpy.random.default_rng([11, first])
    count = (last - first) * shape.each
    chosen = ranks(source, count * WORDS).reshape(count, WORDS)
    directions = vectors(source, count).astype(">f4")
    texts = [[words[rank] for rank in row] for row in chosen.tolist()]
    for node in range(first, last):
        places = range((node - first) * shape.each, (node - first + 1) * shape.each)
        yield b"".join(_row(node, ordinal, texts[place], directions[place]) for ordinal, place in enumerate(places))


@cache
def _subjects() -> numpy.ndarray:
    return numpy.random.default_rng(7).standard_normal((SUBJECTS, DIMENSIONS), dtype=numpy.float32)


def _row(node: int, ordinal: int, text: Sequence[bytes], direction: numpy.ndarray) -> bytes:
    item = b"n%d" % node
    return _joined(
        GRAPH.encode() + b"\x1f" + item,
        struct.pack(">i", ordinal),
        GRAPH.encode(),
        item,
        b"project",
        b"active",
        b"current",
        b"stated",
        _NO_TAGS,
        b"",
        b"",
        item,
        struct.pack(">ii", node, ordinal),
        b" ".join(text),
        _terms(text),
        MODEL.encode(),
        struct.pack(">hh", DIMENSIONS, 0) + direction.tobytes(),
    )


def _joined(*fields: bytes) -> bytes:
    return _FIELDS + b"".join(struct.pack(">i", len(field)) + field for field in fields)


def _terms(text: Sequence[bytes]) -> bytes:
    """A text as a ``tsvector``, each word with its places."""
    places: dict[bytes, list[int]] = {}
    for position, each in enumerate(text, 1):
        places.setdefault(each, []).append(position | _IN_NOTE)
    lexemes = (
        each + b"\0" + struct.pack(f">H{len(found)}H", len(found), *found) for each, found in sorted(places.items())
    )
    return struct.pack(">i", len(places)) + b"".join(lexemes)
