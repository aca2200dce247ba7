"""Line ends, byte order marks and whole lines. Pure."""

from __future__ import annotations

from typing import Final

BOM: Final = "\ufeff"


def split_bom(text: str) -> tuple[str, str]:
    """The byte order mark, or nothing, and the rest."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def newline(text: str) -> str:
    """The line end that the text uses first; a line feed when it has none."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def is_blank(text: str) -> bool:
    """Whether the text holds nothing but ASCII white space."""
    return not text.strip(" \t\r\n")


def line_start(text: str, position: int) -> int:
    """Where the line of ``position`` begins."""
    return text.rfind("\n", 0, position) + 1


def line_end(text: str, position: int) -> int:
    """Just behind the line end of the line of ``position``, or the end of the text."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def indentation(text: str, position: int) -> str:
    """The blanks and tabs that the line of ``position`` begins with."""
    start = line_start(text, position)
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]


def begins_line(text: str, position: int) -> bool:
    """Whether only blanks stand before ``position`` in its line."""
    return not text[line_start(text, position) : position].strip(" \t")


def chomp(text: str) -> str:
    """The text without one line end at its end."""
    if text.endswith("\r\n"):
        return text[:-2]
    return text.removesuffix("\n")


def blank_line_before(text: str, position: int) -> int:
    """Where the blank line just before the line start ``position`` begins; ``position`` when there is none."""
    if position == 0 or text[position - 1] != "\n":
        return position
    start = line_start(text, position - 1)
    return start if is_blank(text[start:position]) else position


def blank_line_after(text: str, position: int) -> int:
    """Where the blank line at the line start ``position`` ends; ``position`` when there is none."""
    end = line_end(text, position)
    return end if is_blank(text[position:end]) and text[position:end].endswith("\n") else position
