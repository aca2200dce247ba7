"""Which kind of file a claim or a recorded value belongs to, and what a person would paste by hand. Pure."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, assert_never

from kg_core.claims.jsonsheet import JsonSheet
from kg_core.claims.record import BlockHold, JsonHold, JsonRoom, OwnedHold, TomlHold, TomlTableHold
from kg_core.claims.textblock import TextSheet
from kg_core.claims.tomlsheet import TomlSheet
from kg_core.claims.tomlvalue import key_text, table_text, value_text
from kg_core.claims.values import plain
from kg_plugin_api.claims import JsonEntry, JsonItem, OwnedFile, TextBlock, TomlEntry, TomlTable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kg_core.claims.record import Hold
    from kg_core.claims.sheet import Sheet
    from kg_plugin_api.claims import Claim


class Syntax(StrEnum):
    """The kinds of files."""

    JSON = "JSON"
    TOML = "TOML"
    TEXT = "text"
    OWNED = "a file of its own"


def syntax_of(claim: Claim | Hold) -> Syntax:
    """The kind of file."""
    if isinstance(claim, JsonEntry | JsonItem | JsonHold | JsonRoom):
        return Syntax.JSON
    if isinstance(claim, TextBlock | BlockHold):
        return Syntax.TEXT
    if isinstance(claim, OwnedFile | OwnedHold):
        return Syntax.OWNED
    return Syntax.TOML


def sheet_for(syntax: Syntax, path: Path) -> Callable[[str], Sheet]:
    """What opens a text of that kind, not of an owned file. Marker lines follow the ending of the path."""
    if syntax is Syntax.JSON:
        return JsonSheet
    if syntax is Syntax.TOML:
        return TomlSheet
    return partial(TextSheet, markup=_is_markup(path))


def snippet(claim: Claim) -> str:
    """The claim as text to paste into its file by hand."""
    match claim:
        case JsonEntry():
            return _json(claim.keys, plain(claim.value))
        case JsonItem():
            return _json(claim.keys, [plain(claim.value)])
        case TomlEntry():
            return _toml(claim.keys, plain(claim.value))
        case TomlTable():
            return _table(claim.keys, plain(claim.values))
        case TextBlock():
            return TextSheet("", markup=_is_markup(claim.path)).block(claim.name, claim.text)
        case OwnedFile():
            return claim.text
        case _:
            assert_never(claim)


def held_snippet(hold: Hold) -> str:
    """What the record holds as text, to be found and taken out by hand."""
    match hold:
        case JsonHold():
            return _json(hold.keys, [hold.value] if hold.item else hold.value)
        case TomlHold():
            return _toml(hold.keys, hold.value)
        case TomlTableHold():
            return _table(hold.keys, hold.values)
        case BlockHold():
            return hold.text
        case _:
            return ""


def keys_of(claim: Claim | Hold) -> tuple[str, ...]:
    """Where in its file it is; the block's name for a block, nothing for a whole file."""
    if isinstance(claim, TextBlock | BlockHold):
        return (claim.name,)
    if isinstance(claim, OwnedFile | OwnedHold):
        return ()
    return claim.keys


def _is_markup(path: Path) -> bool:
    return path.suffix.lower() in {".md", ".mdc", ".markdown", ".html"}


def _json(keys: tuple[str, ...], value: object) -> str:
    for key in reversed(keys):
        value = {key: value}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _toml(keys: tuple[str, ...], value: object) -> str:
    header = f"[{key_text(keys[:-1])}]\n" if keys[1:] else ""
    return f"{header}{key_text(keys[-1:])} = {value_text(value)}\n"


def _table(keys: tuple[str, ...], values: object) -> str:
    return table_text(keys, values, "\n") if isinstance(values, dict) else ""
