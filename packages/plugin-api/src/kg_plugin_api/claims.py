"""What a plug-in states must be on disk. Core alone writes and removes it; see ``docs/decisions``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonEntry:
    """``value`` at ``keys`` of the JSON (or JSON with comments) document at ``path``.

    Refused when somebody else set that key to another value. ``replace`` permits that: the value found is
    recorded and put back at removal (used for switches such as a client's own memory).
    """

    path: Path
    keys: tuple[str, ...]
    value: object
    replace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonItem:
    """``value`` as one member of the array at ``keys`` of the JSON document at ``path``."""

    path: Path
    keys: tuple[str, ...]
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlTable:
    """A table of ours, ``[keys…]`` with ``values``, in the TOML document at ``path``."""

    path: Path
    keys: tuple[str, ...]
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlEntry:
    """One key in a table that may be somebody else's; ``replace`` as for :class:`JsonEntry`."""

    path: Path
    keys: tuple[str, ...]
    value: object
    replace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """``text`` between two marker lines that name ``name``, in the Markdown or plain text file at ``path``."""

    path: Path
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedFile:
    """A whole file of ours. Missing parent folders are made, and removed again when they are empty."""

    path: Path
    text: str
    executable: bool = False


Claim = JsonEntry | JsonItem | TomlTable | TomlEntry | TextBlock | OwnedFile
