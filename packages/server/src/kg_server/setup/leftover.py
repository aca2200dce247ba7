"""What an earlier set-up of the same memory left in the settings of an agent, known by how it starts the carriers."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_plugin_api import JsonEntry, JsonItem, OwnedFile, TextBlock, TomlEntry, TomlTable
from kg_server.setup.launch import carrier_script

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kg_plugin_api import Claim

_PATH = r"('[^'\n]*'|[^\s'\"]+)"
_LARGEST = 1 << 20


def left_behind(claims: Sequence[Claim], home: Path, harness: str) -> tuple[Claim, ...]:
    """The claims as the installation wrote them that connected this harness to this memory; none when none did."""
    named = re.escape(f"--harness {harness} --home {shlex.quote(str(home))}")
    command = re.compile(rf"exec {_PATH} -I -S {_PATH} (?:mcp|hook) {named}(?=[ ;\"]|$)", re.MULTILINE)
    for path in dict.fromkeys(claim.path for claim in claims):
        found = command.search(_text(path))
        if found is not None:
            theirs = {shlex.quote(sys.executable): found[1], shlex.quote(str(carrier_script())): found[2]}
            return tuple(_as_written(claim, theirs) for claim in claims)
    return ()


def _text(path: Path) -> str:
    """The text of a settings file; nothing where there is none that can be read."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _as_written(claim: Claim, theirs: dict[str, str]) -> Claim:
    match claim:
        case OwnedFile() | TextBlock():
            return replace(claim, text=_swapped(claim.text, theirs))
        case TomlTable():
            return replace(claim, values=json.loads(_swapped(json.dumps(claim.values), theirs)))
        case JsonEntry() | JsonItem() | TomlEntry():
            return replace(claim, value=json.loads(_swapped(json.dumps(claim.value), theirs)))


def _swapped(text: str, theirs: dict[str, str]) -> str:
    """``text`` with each of our paths as theirs, in one pass: one may be the beginning of another."""
    ours = "|".join(re.escape(path) for path in sorted(theirs, key=len, reverse=True))
    return re.sub(rf"(?<![\w/.-])(?:{ours})(?![\w/.-])", lambda match: theirs[match[0]], text)
