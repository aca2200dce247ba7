"""Putting a paragraph of ours at the end of a text and cutting it out again. Pure."""

from __future__ import annotations

from kg_core.claims.lines import blank_line_after, blank_line_before, chomp, is_blank
from kg_core.claims.record import Seam


def append(text: str, paragraph: str, newline: str, *, tail: bool = False) -> tuple[str, Seam]:
    """The text with the paragraph (whole lines) at its end, a blank line before it, and one behind it with ``tail``."""
    closed = bool(text) and not text.endswith("\n")
    before = text + newline if closed else text
    gap = not is_blank(before) and blank_line_before(before, len(before)) == len(before)
    after = newline if tail else ""
    return before + (newline if gap else "") + paragraph + after, Seam(closed=closed, gap=gap, tail=tail)


def cut(text: str, start: int, end: int, seam: Seam, kept: str = "") -> str:
    """The text without the lines from ``start`` to ``end`` and without what the seam says was put around them.

    ``kept`` stands in their place; the blank lines then stay too.
    """
    if kept:
        return text[:start] + kept + text[end:]
    if seam.tail:
        end = blank_line_after(text, end)
    if seam.gap:
        start = blank_line_before(text, start)
    before, behind = text[:start], text[end:]
    if seam.closed and not behind:
        before = chomp(before)
    return before + behind
