"""Taking keys and tables out of a TOML document, however it was rewritten since. Pure.

Whole-line comments always stay, and so does the comment at the end of a line of ours.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

from kg_core.claims.lines import blank_line_after, blank_line_before, chomp, is_blank, line_end, line_start
from kg_core.claims.record import NO_SEAM, Seam
from kg_core.claims.tomledit import TomlEditError, root_seam
from kg_core.claims.tomltext import TomlTextError, inline_pairs, is_inline_table, parse
from kg_core.claims.values import same

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kg_core.claims.tomltext import Keys, Pair, Section, TomlDocument

    Cut = tuple[int, int, str]
    """From, to, and what stays in its place."""


_BLANK_BEFORE: Final = Seam(gap=True)


def remove(
    document: TomlDocument,
    keys: Keys,
    *,
    ours: Collection[str],
    seam: Seam = NO_SEAM,
    interior: str | None = None,
) -> str:
    """The text without everything at that path: statements, tables and what lies below them.

    Keys that are not in ``ours`` and stand in the table behind a blank line were appended to the file by somebody who
    did not see our table end there: they stay where they are, if the document is valid without our header.
    ``seam`` tells of the blank lines around our table, ``interior`` is the white space of an inline table that
    was empty. Raises TomlEditError.
    """
    expected = _without(document.values, keys)
    cuts, appended = _cuts(document, keys, ours, seam, interior)
    if appended:
        text = _apply(document.text, cuts, seam)
        try:
            parse(text)
        except TomlTextError:
            cuts += appended
        else:
            return text
    text = _apply(document.text, cuts, seam)
    try:
        values = parse(text)
    except TomlTextError as error:
        raise TomlEditError(f"the result would not be valid TOML: {error}") from error
    if not same(_pruned(values, keys), _pruned(expected, keys)):
        raise TomlEditError("the result would not mean the same")
    return text


def remove_header(document: TomlDocument, section: Section, seam: Seam) -> str:
    """The text without the header of a section that has no statements; for the root, without its blank line."""
    text = document.text
    if section.header is None:
        return _without_root_seam(document, seam)
    cut = _line_cut(text, section.header.start, section.header.end)
    return _apply(text, [_widened(text, cut, seam, head=True, foot=True)], seam)


def _without_root_seam(document: TomlDocument, seam: Seam) -> str:
    text = document.text
    if len(document.sections) == 1:
        without = text[: blank_line_before(text, len(text))] if seam.gap or seam.tail else text
        if seam.gap and without == text:  # the blank line went with our last key, which had lost its line end
            return chomp(text)
        return without
    position, _ = root_seam(document)
    if seam.gap:
        return text[:position] + text[blank_line_after(text, position) :]
    return text[: blank_line_before(text, position)] + text[position:]


def _cuts(
    document: TomlDocument,
    keys: Keys,
    ours: Collection[str],
    seam: Seam,
    interior: str | None,
) -> tuple[list[Cut], list[Cut]]:
    text = document.text
    cuts: list[Cut] = []
    appended: list[Cut] = []
    for section in document.sections:
        if section.path[: len(keys)] == keys and section.header is not None:
            inside, foreign = _section_cuts(text, section, ours if section.path == keys else None, seam)
            cuts += inside
            appended += foreign
        elif not section.inside_array:
            for pair in section.pairs:
                if pair.path[: len(keys)] == keys:
                    cuts.append(_line_cut(text, pair.start, pair.end))
                elif keys[: len(pair.path)] == pair.path and is_inline_table(text, pair):
                    cuts += _inline_cuts(text, pair, keys, interior)
    return cuts, appended


def _section_cuts(text: str, section: Section, ours: Collection[str] | None, seam: Seam) -> tuple[list[Cut], list[Cut]]:
    """The lines of a section to cut, and those that somebody appended; ``ours`` is None below our table."""
    assert section.header is not None
    own = list(section.pairs)
    appended: list[Pair] = []
    if ours is not None:
        first = next((i for i, pair in enumerate(own) if _is_appended(text, section, i, ours)), len(own))
        own, appended = own[:first], own[first:]
    lines = [(section.header.start, section.header.end), *((pair.start, pair.end) for pair in own)]
    cuts = [_line_cut(text, start, end) for start, end in lines]
    seam = seam if ours is not None else _BLANK_BEFORE
    cuts[0] = _widened(text, cuts[0], seam, head=True, foot=len(cuts) == 1)
    if len(cuts) > 1:
        cuts[-1] = _widened(text, cuts[-1], seam, head=False, foot=True)
    return cuts, [_line_cut(text, pair.start, pair.end) for pair in appended]


def _is_appended(text: str, section: Section, index: int, ours: Collection[str]) -> bool:
    pair = section.pairs[index]
    line = line_start(text, pair.start)
    local = pair.path[len(section.path)]
    return (
        index > 0
        and local not in ours
        and not any(later.path[len(section.path)] in ours for later in section.pairs[index:])
        and _blank_between(text, section.pairs[index - 1].end, line)
    )


def _blank_between(text: str, start: int, end: int) -> bool:
    return any(is_blank(line) for line in text[line_end(text, start) : end].splitlines())


def _line_cut(text: str, start: int, end: int) -> Cut:
    first, last = line_start(text, start), line_end(text, end)
    rest = text[end:last]
    if rest.lstrip(" \t").startswith("#"):
        return (first, last, text[first:start] + rest.lstrip(" \t"))
    if not text[first:last].endswith("\n") and first > 0:
        first = len(chomp(text[:first]))
    return (first, last, "")


def _widened(text: str, cut: Cut, seam: Seam, *, head: bool, foot: bool) -> Cut:
    """The cut with the blank lines of the seam; ``head`` and ``foot`` say which ends of our table it has."""
    start, end, kept = cut
    if kept:
        return cut
    if head and seam.gap:
        start = blank_line_before(text, start)
    if foot and seam.tail:
        end = blank_line_after(text, end)
    return (start, end, kept)


def _inline_cuts(text: str, table: Pair, keys: Keys, interior: str | None) -> list[Cut]:
    members = inline_pairs(text, table)
    below = [index for index, pair in enumerate(members) if pair.path[: len(keys)] == keys]
    if below and len(below) == len(members):
        inside = interior if interior is not None else ""
        return [(table.value_start + 1, table.end - 1, inside)]
    cuts: list[Cut] = []
    for index in below:
        if index > 0:
            cuts.append((members[index - 1].end, members[index].end, ""))
        else:
            cuts.append((members[0].start, members[1].start, ""))
    for pair in members:
        if keys[: len(pair.path)] == pair.path and pair.path != keys and is_inline_table(text, pair):
            cuts += _inline_cuts(text, pair, keys, interior)
    return cuts


def _apply(text: str, cuts: list[Cut], seam: Seam) -> str:
    at_end = bool(cuts) and max(end for _, end, _ in cuts) == len(text)
    limit = len(text)
    for start, end, kept in sorted(cuts, reverse=True):
        text = text[:start] + kept + text[min(end, limit) :]
        limit = start
    return chomp(text) if seam.closed and at_end else text


def _without(values: Mapping[str, object], keys: Keys) -> dict[str, object]:
    wanted = copy.deepcopy(dict(values))
    table: object = wanted
    for key in keys[:-1]:
        table = table.get(key) if isinstance(table, dict) else None
    if isinstance(table, dict):
        table.pop(keys[-1], None)
    return wanted


def _pruned(values: dict[str, object], keys: Keys) -> dict[str, object]:
    """The values without the tables on the way to a path that are empty: a header may have gone with its content."""
    pruned = dict(values)
    if len(keys) > 1 and isinstance(inner := pruned.get(keys[0]), dict):
        below = _pruned(inner, keys[1:])
        if below:
            pruned[keys[0]] = below
        else:
            del pruned[keys[0]]
    return pruned
