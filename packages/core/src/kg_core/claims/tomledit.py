"""Putting keys and tables into a TOML document and taking them out again, line by line. Pure.

Every function answers with a text whose values were parsed again and are exactly the wanted ones; anything else is a
TomlEditError, and the document stays as it is.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.claims.lines import blank_line_before, indentation, is_blank, line_end, line_start, newline
from kg_core.claims.paragraph import append
from kg_core.claims.record import NO_SEAM, Seam
from kg_core.claims.tomltext import TomlTextError, inline_pairs, is_inline_table, parse
from kg_core.claims.tomlvalue import key_text, table_text, value_text
from kg_core.claims.values import same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.claims.tomltext import Keys, Pair, Section, TomlDocument

ABSENT: Final = object()


class TomlEditError(ValueError):
    """The document is written in a way that does not allow the edit; the argument says why."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A new text and what must be known to go back.

    ``seam`` is what was put around a table or key, ``section`` says that a key got a table of its own, ``interior`` is
    the white space of an inline table that was empty.
    """

    text: str
    seam: Seam = NO_SEAM
    section: bool = False
    interior: str | None = None


def value_at(values: Mapping[str, object], keys: Keys) -> object:
    """The value at a path; ABSENT when there is none. Raises TomlEditError when the path meets something else."""
    value: object = values
    for depth, key in enumerate(keys):
        if not isinstance(value, dict):
            raise TomlEditError(f"{key_text(keys[:depth])} is not a table")
        if key not in value:
            return ABSENT
        value = value[key]
    return value


def find_pair(document: TomlDocument, keys: Keys) -> Pair | None:
    """The statement, perhaps inside an inline table, whose value is the value at that path."""
    holder = next((pair for pair in document.pairs() if pair.path == keys[: len(pair.path)]), None)
    while holder is not None and holder.path != keys:
        if not is_inline_table(document.text, holder):
            return None
        members = inline_pairs(document.text, holder)
        holder = next((pair for pair in members if pair.path == keys[: len(pair.path)]), None)
    return holder


def find_section(document: TomlDocument, keys: Keys) -> Section | None:
    """The section with the header ``[keys]``; for no keys the root."""
    if not keys:
        return document.sections[0]
    return next((section for section in document.sections if section.path == keys and not section.inside_array), None)


def inline_parent(document: TomlDocument, keys: Keys) -> Pair | None:
    """The innermost inline table on the way to a path."""
    for length in range(len(keys) - 1, 0, -1):
        pair = find_pair(document, keys[:length])
        if pair is not None and is_inline_table(document.text, pair):
            return pair
    return None


def replace_value(document: TomlDocument, pair: Pair, new: str) -> str:
    """The text with another value text in a statement."""
    text = document.text[: pair.value_start] + new + document.text[pair.end :]
    value = parse_value(new)
    return _checked(text, _with(document.values, pair.path, value))


def parse_value(text: str) -> object:
    """The value of a value text."""
    return parse(f"value = {text}")["value"]


def insert_pair(document: TomlDocument, keys: Keys, value: object) -> Edited:
    """The text with a new key, in the table where its neighbours are; that table is appended when there is none."""
    edited = _insert_pair(document, keys, value)
    _checked(edited.text, _with(document.values, keys, value))
    return edited


def append_table(document: TomlDocument, keys: Keys, values: Mapping[str, object]) -> Edited:
    """The text with a new table: at the end, or in the inline table that its parent is."""
    edited = _append_table(document, keys, values)
    _checked(edited.text, _with(document.values, keys, dict(values)))
    return edited


def _append_table(document: TomlDocument, keys: Keys, values: Mapping[str, object]) -> Edited:
    parent = inline_parent(document, keys)
    if parent is not None:
        return _insert_inline(document, parent, keys, dict(values))
    end = newline(document.text)
    text, seam = append(document.text, table_text(keys, values, end), end, tail=True)
    return Edited(text, seam=seam, section=True)


def _insert_pair(document: TomlDocument, keys: Keys, value: object) -> Edited:
    table = keys[:-1]
    section = find_section(document, table)
    if section is not None and (section.pairs or section.header is not None):
        last = section.pairs[-1].end if section.pairs else _header_end(section)
        indent = indentation(document.text, section.pairs[-1].start) if section.pairs else ""
        return Edited(_insert_line(document.text, line_end(document.text, last), indent + _line(keys[-1:], value)))
    parent = inline_parent(document, keys)
    if parent is not None:
        return _insert_inline(document, parent, keys, value)
    for section in document.sections:
        if len(section.path) >= len(table):
            continue
        dotted = [pair for pair in section.pairs if pair.path[: len(table)] == table and not pair.inside_array]
        if dotted:
            position = line_end(document.text, dotted[-1].end)
            return Edited(_insert_line(document.text, position, _line(keys[len(section.path) :], value)))
    if table:
        return _append_table(document, table, {keys[-1]: value})
    return _insert_first(document, _line(keys, value))


def _insert_first(document: TomlDocument, line: str) -> Edited:
    """A first root key with a blank line that parts it from the comments before it or the header behind it."""
    text, end = document.text, newline(document.text)
    if len(document.sections) == 1:
        return Edited(_insert_line(text, len(text), line))
    position, seam = root_seam(document)
    lines = end + line + end if seam.gap else line + end + end
    return Edited(text[:position] + lines + text[position:], seam=seam, section=True)


def root_seam(document: TomlDocument) -> tuple[int, Seam]:
    """Where root keys go in a document that has headers and no root keys, and on which side the blank line stands.

    That is behind the comments that the document begins with, but before those on top of the first header.
    """
    text, header = document.text, document.sections[1].header
    top = 0 if header is None else line_start(text, header.start)
    while top > 0 and text[line_start(text, top - 1) : top].lstrip(" \t").startswith("#"):
        top = line_start(text, top - 1)
    if is_blank(text[:top]):
        return top, Seam(tail=True)
    while (above := blank_line_before(text, top)) < top:
        top = above
    return top, Seam(gap=True)


def _insert_inline(document: TomlDocument, parent: Pair, keys: Keys, value: object) -> Edited:
    text = document.text
    member = _line(keys[len(parent.path) :], value)
    members = inline_pairs(text, parent)
    if members:
        position = members[-1].end
        return Edited(text[:position] + ", " + member + text[position:])
    interior = text[parent.value_start + 1 : parent.end - 1]
    return Edited(text[: parent.value_start + 1] + f" {member} " + text[parent.end - 1 :], interior=interior)


def _insert_line(text: str, position: int, line: str) -> str:
    """A line of its own at a line start; at the end of a text that has no last line end, it gets none either."""
    end = newline(text)
    if position and text[position - 1] != "\n":
        return text[:position] + end + line + text[position:]
    return text[:position] + line + end + text[position:]


def _line(keys: Keys, value: object) -> str:
    return f"{key_text(keys)} = {value_text(value)}"


def _header_end(section: Section) -> int:
    return 0 if section.header is None else section.header.end


def _with(values: Mapping[str, object], keys: Keys, value: object) -> dict[str, object]:
    wanted = copy.deepcopy(dict(values))
    table: dict[str, object] = wanted
    for key in keys[:-1]:
        inner = table.setdefault(key, {})
        if not isinstance(inner, dict):
            raise TomlEditError(f"{key_text(keys[:-1])} is not a table")
        table = inner
    table[keys[-1]] = value
    return wanted


def _checked(text: str, wanted: Mapping[str, object]) -> str:
    try:
        values = parse(text)
    except TomlTextError as error:
        raise TomlEditError(f"the result would not be valid TOML: {error}") from error
    if not same(values, dict(wanted)):
        raise TomlEditError("the result would not mean the same")
    return text
