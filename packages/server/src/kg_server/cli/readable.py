"""An answer that is made for programs, as text for a person: whatever it holds, and whoever made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kg_core.render import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SENTENCE: Final = "sentence"
_LINE: Final = 80
"""Characters of a list that stands beside its name."""
_COLUMNS: Final = 60
"""Characters that the columns of a table take, but for the last."""


def readable(answer: Mapping[str, Any]) -> str:
    """``name: value`` for each field, without what could command a terminal.

    What needs more lines stands below its name, a list with how many it has; things of the same few fields are a table.
    A field ``sentence`` stands without its name.
    """
    said = answer.get(_SENTENCE)
    spoken = [one_line(said)] if isinstance(said, str) and said else []
    rest = {name: value for name, value in answer.items() if not (spoken and name == _SENTENCE)}
    return "\n".join([*spoken, *_fields(rest)]) or "Done."


def _fields(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        name, short = one_line(str(key)), brief(value)
        if short is not None:
            yield f"{name}: {short}"
            continue
        yield f"{name} ({len(value)}):" if isinstance(value, list) else f"{name}:"
        yield from (f"  {line}" for line in _long(value))


def brief(value: object) -> str | None:
    """A value on one line; None for one that needs more."""
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return None if "\n" in value.strip() else one_line(value).strip() or "none"
        case int() | float():
            return str(value)
        case list() if value:
            words = [None if isinstance(item, list | dict) else brief(item) for item in value]
            line = ", ".join(word for word in words if word is not None)
            fits = None not in words and len(line) <= _LINE and line.count(", ") < len(words)
            return line if fits else None
        case dict() if value:
            return None
    return "none"


def _long(value: Any) -> Iterator[str]:
    """The lines of a value that needs more than one."""
    if isinstance(value, dict):
        yield from _fields(value)
    elif isinstance(value, list):
        yield from _table(value) or _items(value)
    else:
        yield from (one_line(line) for line in str(value).strip().splitlines())


def _items(values: Sequence[Any]) -> Iterator[str]:
    for value in values:
        short = brief(value)
        lines = _long(value) if short is None else iter([short])
        yield f"- {next(lines)}"
        yield from (f"  {line}" for line in lines)


def _table(values: Sequence[Any]) -> list[str]:
    """Things with the same fields, each short, under the names of these; nothing when they are not like that."""
    names = list(values[0]) if isinstance(values[0], dict) else []
    if not names or any(not isinstance(value, dict) or list(value) != names for value in values):
        return []
    rows = [[one_line(str(name)) for name in names]]
    for value in values:
        cells = [brief(cell) for cell in value.values()]
        rows.append([cell for cell in cells if cell is not None])
    if any(len(row) != len(names) for row in rows):
        return []
    widths = [*(max(len(row[column]) for row in rows) for column in range(len(names) - 1)), 0]
    if sum(widths) > _COLUMNS:
        return []
    return ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
