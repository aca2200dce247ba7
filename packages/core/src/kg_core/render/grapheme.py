"""Cutting text where a reader sees a border: never inside a grapheme."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_plugin_api import Unit

ELLIPSIS: Final = "…"


def prefix(text: str, maximum: int, unit: Unit) -> str:
    """The longest prefix of whole graphemes that measures at most ``maximum``."""
    if unit.measure(text) <= maximum:
        return text
    used = end = 0
    # Whether a border lies before a character depends on what precedes it alone: one more than can fit is enough.
    for cluster in _graphemes(text[: max(0, maximum) + 1]):
        used += unit.measure(cluster)
        if used > maximum:
            break
        end += len(cluster)
    return text[:end]


def cut(text: str, maximum: int, unit: Unit) -> str:
    """``text`` whole when it fits, else a prefix of whole graphemes that ends in ``…``, else nothing."""
    if unit.measure(text) <= maximum:
        return text
    kept = prefix(text, maximum - unit.measure(ELLIPSIS), unit)
    return kept + ELLIPSIS if kept else ""


def _graphemes(text: str) -> Iterator[str]:
    if text.isascii() and "\r" not in text:
        yield from text
        return
    for match in _pattern().finditer(text):
        yield match.group()


@cache
def _pattern() -> Any:
    import regex  # type: ignore[import-untyped]

    return regex.compile(r"\X")
