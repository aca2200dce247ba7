"""From a text to the pieces of it that are searched: whole sections where they fit, never more than fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_search_pg.documents.markdown import blocks, sections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kg_search_pg.documents.markdown import Line, Section

    Counter = Callable[[str], int]

MOST: Final = 500
"""Tokens of a piece: small embedding models read 512."""
TARGET: Final = 400
"""Tokens up to which the parts of a section that is too long are put together."""
_WIDEST: Final = 8 * TARGET
"""Characters of a line that are looked at at a time: some files are one line."""
JOINER: Final = " > "


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a document: what it says, the line where it begins, and the headings above it."""

    text: str
    line: int
    heading: str


def pieces(text: str, tokens: Counter) -> Iterator[Piece]:
    """The pieces of a Markdown text in order, without overlap, none with more than ``MOST`` tokens.

    Together they have all that is not blank. A section that fits is one piece, so that an edit changes no piece of
    another section; code stays whole where it fits.
    """
    for section in sections(text.replace("\r\n", "\n").replace("\r", "\n")):
        heading = JOINER.join(title for title in section.headings if title)
        for line, said in _of_section(section, tokens):
            shown = said.strip("\n")
            if shown.strip():
                blank = len(said) - len(said.lstrip("\n"))
                yield Piece(shown, line + blank, heading)


def _of_section(section: Section, tokens: Counter) -> Iterator[tuple[int, str]]:
    whole = _text(section.lines)
    if tokens(whole) <= MOST:
        yield section.lines[0].number, whole
        return
    yield from _packed((list(block) for block in blocks(section)), tokens, _of_block)


def _of_block(block: Sequence[Line], tokens: Counter) -> Iterator[tuple[int, str]]:
    """A paragraph or code that is too long, cut between its lines."""
    yield from _packed(([line] for line in block), tokens, _of_line)


def _of_line(line: Sequence[Line], tokens: Counter) -> Iterator[tuple[int, str]]:
    """A line that is too long, cut between words where there are some."""
    (only,) = line
    left = only.text
    while len(left) > _WIDEST or tokens(left) > MOST:
        cut = _fitting(left[:_WIDEST], tokens)
        pause = left.rfind(" ", cut // 2, cut)
        cut = pause if pause > 0 else cut
        yield only.number, left[:cut]
        left = left[cut:]
    yield only.number, left


def _packed(
    parts: Iterable[list[Line]],
    tokens: Counter,
    cut: Callable[[Sequence[Line], Counter], Iterator[tuple[int, str]]],
) -> Iterator[tuple[int, str]]:
    """Parts put together while they have at most ``TARGET`` tokens; what is too long alone is cut further."""
    held: list[Line] = []
    for part in parts:
        if held and tokens(_text([*held, *part])) > TARGET:
            yield held[0].number, _text(held)
            held = []
        if not held and tokens(_text(part)) > MOST:
            yield from cut(part, tokens)
        else:
            held += part
    if held:
        yield held[0].number, _text(held)


def _fitting(text: str, tokens: Counter) -> int:
    """How many characters of a text have at most ``TARGET`` tokens; at least one."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(text[:middle]) <= TARGET:
            low = middle
        else:
            high = middle - 1
    return low


def _text(of: Iterable[Line]) -> str:
    return "\n".join(line.text for line in of)
