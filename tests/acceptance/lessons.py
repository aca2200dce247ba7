"""Lessons that a test puts into a memory: by a scripted model's tool call, or as a person would, by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from . import claude, codex, copilot
from .endpoint import Call

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .machine import Machine


def by_claude(tool: str, **arguments: object) -> Call:
    """A call of one of kg's tools as Claude Code knows it."""
    return Call(name=f"{claude.TOOL}{tool}", arguments=arguments)


def by_codex(tool: str, **arguments: object) -> Call:
    """A call of one of kg's tools as Codex knows it."""
    return Call(name=tool, namespace=codex.SERVER, arguments=arguments)


def by_copilot(tool: str, **arguments: object) -> Call:
    """A call of one of kg's tools as Copilot CLI knows it."""
    return Call(name=f"{copilot.TOOL}{tool}", arguments=arguments)


def by_hand(machine: Machine, nodes: Mapping[str, Mapping[str, object]]) -> None:
    """Writes the user level's file before any server has run."""
    file = machine.memory / "memory" / "user.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"format": 1, "nodes": nodes, "edges": []}, ensure_ascii=False), encoding="utf-8")


def many(count: int, word: str = "filler") -> dict[str, dict[str, object]]:
    """More lessons than a preload can hold, each newer than the one before, none about anything in particular."""
    return {
        f"{word}-lesson-{number:03}": {
            "gist": f"The {word} number {number} goes before the {word} number {number + 1}, " + "and so on " * 12,
            "created": f"2026-06-01T{number // 60:02}:{number % 60:02}:00.000Z",
        }
        for number in range(count)
    }


def times(texts: Iterable[str], text: str) -> int:
    """How often ``text`` occurs in all of them together."""
    return sum(piece.count(text) for piece in texts)
