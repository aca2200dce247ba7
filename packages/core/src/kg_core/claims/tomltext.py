"""Scanning TOML into statements and spans. Pure.

``tomllib`` decides what is valid and what the values are; the scanner only finds where they stand, so it may rely on
the text being valid.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Final

from kg_core.claims.lines import line_end

_BLANK: Final = re.compile(r"[ \t]*")
_COMMENT: Final = re.compile(r"#[^\n]*")
# No possessive quantifiers over groups: Python before 3.11.5 matches them wrongly. The unrolled loops are linear too.
_STRING: Final = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""(?:"{0,2})'
    r"|'{3}[^']*(?:'(?!'')[^']*)*'{3}(?:'{0,2})"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE: Final = re.compile(r"""[^\s,=\[\]{}#"']+(?:[ \t]+[0-9][0-9:.Zz+-]*)?""")
_KEY: Final = re.compile(r"""[^"'=\]\n]*(?:(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*')[^"'=\]\n]*)*""")
_CLOSING: Final = {"[": "]", "{": "}"}

Keys = tuple[str, ...]


class TomlTextError(ValueError):
    """The text is not TOML. The sentence says where."""


@dataclass(frozen=True, slots=True)
class Header:
    """``[path]`` or, with ``array``, ``[[path]]``: from its first to behind its last bracket."""

    path: Keys
    start: int
    end: int
    array: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """``key = value``. ``start`` is the key's first character, ``end`` just behind the value.

    ``path`` counts from the root. ``inside_array`` says that the table lies in an array of tables, where no path of
    keys leads. ``comma`` is the position of the comma behind it, in an inline table.
    """

    path: Keys
    start: int
    value_start: int
    end: int
    inside_array: bool
    comma: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """What stands between two headers; the first one, of the root, has no header."""

    header: Header | None
    pairs: tuple[Pair, ...]
    inside_array: bool

    @property
    def path(self) -> Keys:
        """The keys of the header; none for the root."""
        return () if self.header is None else self.header.path


@dataclass(frozen=True, slots=True)
class TomlDocument:
    """One scanned text with its values."""

    text: str
    values: dict[str, object]
    sections: tuple[Section, ...]

    def pairs(self) -> list[Pair]:
        """All statements that a path of keys leads to."""
        return [pair for section in self.sections for pair in section.pairs if not pair.inside_array]


def parse(text: str) -> dict[str, object]:
    """The values. Raises TomlTextError."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise TomlTextError(str(error) or "too deeply nested") from error


def scan(text: str) -> TomlDocument:
    """Raises TomlTextError when the text is not valid TOML."""
    values = parse(text)
    sections: list[Section] = []
    header: Header | None = None
    pairs: list[Pair] = []
    arrays: list[Keys] = []
    position = 0
    while position < len(text):
        start = _after(_BLANK, text, position)
        if text[start : start + 1] == "[":
            sections.append(_section(header, pairs, arrays))
            header, pairs = _header(text, start), []
            arrays += [header.path] if header.array else []
            position = line_end(text, header.end)
        elif text[start : start + 1] in {"", "#", "\r", "\n"}:
            position = line_end(text, start)
        else:
            path = () if header is None else header.path
            pair = _pair(text, start, path, inside_array=_under(arrays, path))
            pairs.append(pair)
            position = line_end(text, pair.end)
    sections.append(_section(header, pairs, arrays))
    return TomlDocument(text, values, tuple(sections))


def inline_pairs(text: str, table: Pair) -> list[Pair]:
    """The members of the inline table that is the value of a pair."""
    pairs: list[Pair] = []
    position = _skip(text, table.value_start + 1)
    while text[position] != "}":
        pair = _pair(text, position, table.path, inside_array=table.inside_array)
        position = _skip(text, pair.end)
        comma = position if text[position] == "," else None
        pairs.append(Pair(pair.path, pair.start, pair.value_start, pair.end, pair.inside_array, comma))
        position = position if comma is None else _skip(text, comma + 1)
    return pairs


def is_inline_table(text: str, pair: Pair) -> bool:
    """Whether the value of a pair is an inline table."""
    return text[pair.value_start] == "{"


def _section(header: Header | None, pairs: list[Pair], arrays: list[Keys]) -> Section:
    return Section(header, tuple(pairs), inside_array=_under(arrays, () if header is None else header.path))


def _under(arrays: list[Keys], path: Keys) -> bool:
    return any(path[: len(array)] == array for array in arrays)


def _header(text: str, start: int) -> Header:
    array = text.startswith("[[", start)
    brackets = 2 if array else 1
    key_end = _after(_KEY, text, start + brackets)
    return Header(_keys(text[start + brackets : key_end]), start, key_end + brackets, array)


def _pair(text: str, start: int, path: Keys, *, inside_array: bool) -> Pair:
    equals = _after(_KEY, text, start)
    if text[equals : equals + 1] != "=":
        raise TomlTextError("a statement was not understood")
    value_start = _after(_BLANK, text, equals + 1)
    return Pair((*path, *_keys(text[start:equals])), start, value_start, _value_end(text, value_start), inside_array)


def _keys(text: str) -> Keys:
    keys: list[str] = []
    value: object = tomllib.loads(f"{text.strip()} = 0")
    while isinstance(value, dict):
        (key, value), *_ = value.items()
        keys.append(key)
    return tuple(keys)


def _value_end(text: str, start: int) -> int:
    open_brackets: list[str] = []
    position = start
    while True:
        character = text[position : position + 1]
        if character in _CLOSING:
            open_brackets.append(_CLOSING[character])
            position += 1
        elif open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
            position += 1
        elif open_brackets and character in {",", "=", "."}:
            position += 1
        else:
            end = max(_after(_STRING, text, position), _after(_BARE, text, position))
            if end == position:
                raise TomlTextError("a value was not understood")
            position = end
        if not open_brackets:
            return position
        position = _skip(text, position)


def _skip(text: str, position: int) -> int:
    """Behind white space, line ends and comments."""
    while True:
        start = position
        while position < len(text) and text[position] in " \t\r\n":
            position += 1
        position = _after(_COMMENT, text, position)
        if position == start:
            return position


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()
