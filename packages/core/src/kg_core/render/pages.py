"""Dividing blocks into pages: nothing is dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_core.render.fit import marks_of
from kg_core.render.grapheme import prefix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kg_core.render.block import Block, Mark
    from kg_plugin_api import Limit

_LONGEST_CHARACTER = 4
"""No code point measures more than this in any unit."""


@dataclass(frozen=True, slots=True)
class Page:
    """One part of a long text, and the marks of the blocks that end in it."""

    text: str
    marks: tuple[Mark, ...]


def paged(blocks: Sequence[Block], limit: Limit | None) -> list[Page]:
    """``blocks`` in order, as few to a page as the limit demands; without blocks there is no page.

    A block that is longer than a page starts on a new one and is split at line ends, a longer line at graphemes.
    A ``limit`` under 4 could not hold every character and is a ValueError.
    """
    if not blocks:
        return []
    if limit is None:
        return [Page("\n".join(block.text for block in blocks), marks_of(blocks))]
    if limit.maximum < _LONGEST_CHARACTER:
        raise ValueError(f"a page of {limit.maximum} {limit.unit} cannot hold every character")
    pages: list[Page] = []
    lines: list[str] = []
    ending: list[Block] = []
    room = limit.maximum

    def turn() -> None:
        nonlocal room
        if lines:
            pages.append(Page("\n".join(lines), marks_of(ending)))
        lines.clear()
        ending.clear()
        room = limit.maximum

    for block in blocks:
        size = limit.measure(block.text)
        if lines and size + 1 > room:
            turn()
        pieces = [block.text] if size <= limit.maximum else list(_pieces(block.text, limit))
        for number, piece in enumerate(pieces):
            if number:
                turn()
            room -= limit.measure(piece) + (1 if lines else 0)
            lines.append(piece)
        ending.append(block)
    turn()
    return pages


def _pieces(text: str, limit: Limit) -> Iterator[str]:
    """``text`` in parts that each fill a page, cut at line ends where possible."""
    page: list[str] = []
    used = 0
    for line in text.split("\n"):
        size = limit.measure(line)
        if page and used + 1 + size > limit.maximum:
            yield "\n".join(page)
            page, used = [], 0
        rest = line
        while size > limit.maximum:
            # A single grapheme longer than a page can only be split between its characters.
            head = prefix(rest, limit.maximum, limit.unit) or rest[: limit.maximum // _LONGEST_CHARACTER]
            yield head
            rest = rest[len(head) :]
            size = limit.measure(rest)
        used += size + (1 if page else 0)
        page.append(rest)
    yield "\n".join(page)
