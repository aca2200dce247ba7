"""A large JSON file read member by member, whatever its formatting, with bounded work per step.

The text is decoded piece by piece, so no step touches the whole file. Separators are read leniently: a comma too many
or too few, as a merge by hand leaves them, is no damage.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Final

from kg_core.model.foreign import number
from kg_core.model.nesting import NESTING, is_too_deep

if TYPE_CHECKING:
    from collections.abc import Iterator

OPENED: Final = ("nodes", "edges", "tombstones", "progress", "use")
"""Members of the top-level object that are themselves read member by member."""

_PIECE: Final = 65_536
_TOP: Final = "  "
_RECORD: Final = "    "
_NEAR_END: Final = 16
_BLANK: Final = re.compile(r"[\s,]*")
_BLANK_OR_COLON: Final = re.compile(r"[\s:]*")
_LINE: Final = re.compile(r'\n([ \t]*)(?=["{}\]])')
_UNDECODABLE: Final = re.compile("[\udc80-\udcff]")
_DECODER: Final = JSONDecoder(strict=False, parse_constant=str, parse_float=number)


@dataclass(frozen=True, slots=True)
class Member:
    """One value of the file: ``section`` is empty for a plain top-level member, ``name`` for an item of a list."""

    section: str
    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Section:
    """The records of this name follow, if there are any."""

    name: str


@dataclass(frozen=True, slots=True)
class Damage:
    """A place at which the file could not be read; what follows was read from the next whole record on."""

    offset: int
    """Characters from the start."""


class _Text:
    """The text from a point on: what lies behind is forgotten, what lies ahead is decoded when it is needed."""

    def __init__(self, data: bytes) -> None:
        wide = data[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}
        decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")
        self._decoder = decoder(errors="replace" if wide else "surrogateescape")
        self._data = data
        self._read = 0
        self._dropped = 0
        self.text = ""
        self.at = 0
        self.undecodable = False

    @property
    def offset(self) -> int:
        return self._dropped + self.at

    @property
    def character(self) -> str:
        return self.text[self.at : self.at + 1]

    def more(self) -> bool:
        """Decodes the next piece, at least as long as what is still there; false when there is none."""
        if self._read >= len(self._data):
            return False
        piece = self._data[self._read : self._read + max(_PIECE, len(self.text) - self.at)]
        self._read += len(piece)
        decoded = self._decoder.decode(piece, self._read >= len(self._data))
        if not decoded.isascii() and _UNDECODABLE.search(decoded):
            self.undecodable = True
            decoded = _UNDECODABLE.sub("\ufffd", decoded)
        self._dropped += self.at
        self.text = self.text[self.at :] + decoded
        self.at = 0
        return True

    def skip(self, blank: re.Pattern[str]) -> str:
        """Skips what ``blank`` matches; the character that follows, or the empty string at the end."""
        while True:
            match = blank.match(self.text, self.at)
            if match is not None:
                self.at = match.end()
            if self.at < len(self.text) or not self.more():
                return self.character

    def value(self) -> object:
        """The JSON value that starts here. Raises JSONDecodeError when none does, and stays where it is."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except JSONDecodeError as error:
                cut_off = error.pos >= len(self.text) - _NEAR_END or error.msg.startswith("Unterminated")
                if cut_off and self.more():
                    continue
                raise
            except RecursionError as error:
                raise JSONDecodeError("nested too deeply", "", self.at) from error
            except ValueError as error:  # a number of more digits than Python turns into one
                raise JSONDecodeError("a number too long", "", self.at) from error
            if end < len(self.text) or not self.more():
                if self._opens_many(end) and is_too_deep(value):
                    raise JSONDecodeError("nested too deeply", "", self.at)
                self.at = end
                return value

    def _opens_many(self, end: int) -> bool:
        """Whether what stands up to ``end`` may be nested too deeply. Cheap: counts brackets."""
        return self.text.count("[", self.at, end) + self.text.count("{", self.at, end) > NESTING

    def name(self) -> str:
        """The name that starts here. Raises JSONDecodeError when none does."""
        if self.character != '"':
            raise JSONDecodeError("a name is a text", "", self.at)
        return str(self.value())

    def next_line(self) -> str | None:
        """Goes to the next line that starts a name or an object, or closes one; its indent, or ``None`` at the end."""
        while True:
            match = _LINE.search(self.text, self.at)
            if match is not None:
                self.at = match.end()
                return match.group(1)
            self.at = max(self.at, self.text.rfind("\n", self.at))
            if not self.more():
                self.at = len(self.text)
                return None

    def indent(self) -> str | None:
        """What stands between the start of this line and this point, if that is blank."""
        before = self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at]
        return before if not before.strip() else None


def walk(data: bytes, lost: str = "nodes") -> Iterator[Section | Member | Damage]:
    """The members of a graph file in order. A second document behind the first is damage, and read as well.

    ``lost`` is the section that records are taken to belong to when the place that says so is damaged.
    """
    text = _Text(data)
    documents = 0
    while (character := text.skip(_BLANK)) or documents == 0:
        documents += 1
        if documents > 1 or character != "{":
            yield Damage(text.offset)
        if character == "{":
            text.at += 1
            yield from _document(text, lost)
        elif character == "":
            return
        else:
            yield from _resumed(text, lost)
            yield from _document(text, lost)
    if text.undecodable:
        yield Damage(text.offset)


def _document(text: _Text, lost: str) -> Iterator[Section | Member | Damage]:
    while (character := text.skip(_BLANK)) != "}":
        if character == "":
            yield Damage(text.offset)
            return
        try:
            name = text.name()
            opening = text.skip(_BLANK_OR_COLON)
            if name in OPENED and opening in {"{", "["}:
                text.at += 1
                yield Section(name)
                yield from _section(text, name, opening)
            else:
                yield Member("", name, text.value())
        except JSONDecodeError:
            yield Damage(text.offset)
            yield from _resumed(text, lost)
    text.at += 1


def _resumed(text: _Text, lost: str) -> Iterator[Section | Member | Damage]:
    """Goes on behind damage outside of any section: with the next top-level name, or a record if one comes first."""
    while (indent := text.next_line()) is not None:
        if indent == _RECORD and text.character == '"':
            yield from _section(text, lost, "{")
            return
        if len(indent) <= len(_TOP) and (text.character != "{" or not indent):
            text.at += text.character == "{"
            return


def _section(text: _Text, section: str, opening: str) -> Iterator[Section | Member | Damage]:
    closing, first = ("}", '"') if opening == "{" else ("]", "{")
    indent: str | None = None
    while (character := text.skip(_BLANK)) != closing:
        if character == "":
            yield Damage(text.offset)
            return
        indent = text.indent() if indent is None else indent
        try:
            name = text.name() if opening == "{" else ""
            text.skip(_BLANK_OR_COLON)
            yield Member(section, name, text.value())
        except JSONDecodeError:
            yield Damage(text.offset)
            if not _at_next_record(text, _RECORD if indent is None else indent, first):
                return
    text.at += 1


def _at_next_record(text: _Text, indent: str, first: str) -> bool:
    """Goes to the next record of this section; false at the line that ends it, or at the end of the text."""
    while (found := text.next_line()) is not None:
        if found == indent and text.character == first:
            return True
        if len(found) < len(indent):
            closes = text.character in "}]"
            text.at += 1 if closes and found else 0
            return False
    return False
