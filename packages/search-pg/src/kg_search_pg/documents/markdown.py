"""Markdown, taken apart at its headings and blocks. Nothing of the text is lost: the parts together are the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ATX: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_MATTER: Final = "---"
"""What stands before and after the data at the top of some files, which are no headings."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end. ``level`` is that of the heading that begins with it, 0 for none; ``opens`` tells that
    fenced code begins with it.
    """

    number: int
    text: str
    is_code: bool = False
    opens: bool = False
    level: int = 0
    heading: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether it separates paragraphs."""
        return not self.is_code and not self.text.strip()


@dataclass(frozen=True, slots=True)
class Section:
    """The lines from one heading to the next, and the headings above them, the outermost first."""

    headings: tuple[str, ...]
    lines: tuple[Line, ...]


def lines(text: str) -> list[Line]:
    """The lines of a text, numbered from 1."""
    found: list[Line] = []
    fence = ""
    matter = text.startswith(f"{_MATTER}\n")
    for number, line in enumerate(text.split("\n"), 1):
        if matter:
            matter = number == 1 or line.rstrip() != _MATTER
            found.append(Line(number, line))
            continue
        if fence:
            found.append(Line(number, line, is_code=True))
            fence = "" if _closes(line, fence) else fence
            continue
        if opening := _FENCE.match(line):
            fence = opening[1]
            found.append(Line(number, line, is_code=True, opens=True))
            continue
        if heading := _ATX.fullmatch(line):
            found.append(Line(number, line, level=len(heading[1]), heading=(heading[2] or "").strip()))
            continue
        if (under := _UNDERLINE.fullmatch(line)) and _is_title(found):
            above = found[-1]
            found[-1] = Line(above.number, above.text, level=1 if under[1][0] == "=" else 2, heading=above.text.strip())
        found.append(Line(number, line))
    return found


def sections(text: str) -> Iterator[Section]:
    """The sections of a text in order; together they have all its lines.

    A heading that is followed by a deeper one at once stands at the beginning of that one's section.
    """
    headings: list[tuple[int, str]] = []
    held: list[Line] = []
    for line in lines(text):
        if line.level:
            is_deeper = not headings or line.level > headings[-1][0]
            if held and not (is_deeper and not any(_says_something(each) for each in held)):
                yield Section(tuple(title for _, title in headings), tuple(held))
                held = []
            headings = [(level, title) for level, title in headings if level < line.level]
            headings.append((line.level, line.heading))
        held.append(line)
    if held:
        yield Section(tuple(title for _, title in headings), tuple(held))


def blocks(section: Section) -> Iterator[Sequence[Line]]:
    """Paragraphs, lists and whole code fences; blank lines belong to what is before them."""
    block: list[Line] = []
    for line in section.lines:
        if block and not line.is_blank and (line.opens or line.is_code != block[-1].is_code or block[-1].is_blank):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _closes(line: str, fence: str) -> bool:
    """Whether a line ends the code that ``fence`` began."""
    stripped = line.strip()
    return len(stripped) >= len(fence) and not stripped.strip(fence[0]) and line[:4].strip() != ""


def _is_title(found: Sequence[Line]) -> bool:
    """Whether the last line is a paragraph of its own, so that underlining it makes it a heading."""
    if not found or found[-1].is_code or found[-1].is_blank or found[-1].level:
        return False
    return len(found) == 1 or found[-2].is_blank or found[-2].is_code or bool(found[-2].level)


def _says_something(line: Line) -> bool:
    return not line.level and not line.is_blank and not _UNDERLINE.fullmatch(line.text)
