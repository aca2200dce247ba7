"""How a JSON document is laid out, and values rendered to match. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.claims.jsontext import Kind
from kg_core.claims.lines import begins_line, indentation, newline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_core.claims.jsontext import Document, Node

_DEFAULT_UNIT: Final = "  "


@dataclass(frozen=True, slots=True)
class Style:
    """Line end, indentation per level, whether the document uses lines, and whether it is written without blanks."""

    newline: str
    unit: str
    multiline: bool
    tight: bool

    @property
    def gap(self) -> str:
        """What stands behind a comma on one line."""
        return "" if self.tight else " "

    def render(self, value: object, indent: str | None) -> str:
        """The value as text; on one line when ``indent`` is None, else its further lines begin at ``indent``."""
        if indent is None:
            separators = (",", ":") if self.tight else (", ", ": ")
            return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=separators)
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=self.unit)
        return text.replace("\n", self.newline + indent)

    def member(self, key: str | None, value: object, indent: str | None) -> str:
        """A member as text: with its key in an object, without one in an array."""
        text = self.render(value, indent)
        if key is None:
            return text
        colon = ":" if self.tight and indent is None else ": "
        return json.dumps(key, ensure_ascii=False) + colon + text


def style_of(document: Document) -> Style:
    """The style of a document, judged by its first members; two blanks per level when it shows none."""
    text, root = document.text, document.root
    if root is None or (root.kind is not Kind.SCALAR and not root.members):
        return Style(newline(text), _DEFAULT_UNIT, multiline=True, tight=False)
    multiline = "\n" in text[root.start : root.end]
    unit = next(_units(text, root), _DEFAULT_UNIT)
    return Style(newline(text), unit, multiline=multiline, tight=not multiline and _is_tight(text, root))


def _units(text: str, node: Node) -> Iterator[str]:
    outer = indentation(text, node.start)
    for member in node.members:
        inner = indentation(text, member.start)
        if begins_line(text, member.start) and inner.startswith(outer) and inner != outer:
            yield inner[len(outer) :]
        yield from _units(text, member.node)


def _is_tight(text: str, node: Node) -> bool:
    member = node.members[0]
    if member.key is None:
        return True
    return not text[member.node.start - 1].isspace()
