"""Pieces of documents that a search backend found, shown as what they are: text of a file, and no lessons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_core.render import Block, Rank, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kg_plugin_api import Passage, SearchHit, SearchResults

DOCUMENTS: Final = 3
"""How many pieces a search asks for, whoever searches."""
_LONGEST: Final = 800
"""Characters of a piece that are shown; the file, which is named, has the rest."""
_VALUE: Final = 0.01
"""What they are worth beside the lessons when there is no room for all."""


def passages(hits: Sequence[SearchHit]) -> list[Passage]:
    """The pieces of documents among the hits, best first."""
    return [hit.passage for hit in hits if hit.passage is not None]


def without_passages(results: SearchResults) -> SearchResults:
    """The results as far as they are nodes."""
    return replace(results, hits=tuple(hit for hit in results.hits if hit.passage is None))


def passage_line(passage: Passage) -> str:
    """Where a piece stands: file, line, what sort of document it is, and the headings above it."""
    place = f"{passage.path}:{passage.line}"
    what = ", ".join(part for part in ("document", passage.kind) if part)
    return one_line(f"{place} [{what}] {passage.heading}".rstrip())


def passage_blocks(hits: Sequence[SearchHit]) -> list[Block]:
    """The pieces under a heading that says that they are no lessons. Each line of theirs is marked as such.

    What shares no word with the question is named alone: the nearest by its meaning may still be far.
    """
    found = [(hit, hit.passage) for hit in hits if hit.passage is not None]
    if not found:
        return []
    name = "documents"
    blocks = [Block(text="In documents (text of files, not lessons):", rank=Rank.EDGE, value=_VALUE, name=name)]
    for hit, passage in found:
        place = f"{name}\x1f{passage.path}\x1f{passage.line}"
        blocks.append(Block(text=f"  {passage_line(passage)}", rank=Rank.EDGE, value=_VALUE, name=place, parent=name))
        if hit.evidence:
            blocks += [
                Block(text=f"    | {line}", rank=Rank.EDGE, value=_VALUE / 2, parent=place) for line in _shown(passage)
            ]
    return blocks


def _shown(passage: Passage) -> Iterator[str]:
    """The lines of a piece that say something, as many as have room."""
    left = _LONGEST
    for line in passage.text.split("\n"):
        if not line.strip():
            continue
        shown = one_line(line.rstrip())
        if len(shown) > left:
            yield f"{shown[:left].rstrip()} …".lstrip()
            return
        left -= len(shown)
        yield shown
