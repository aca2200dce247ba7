"""The guides, read from the files beside this module: a head of ``key: value`` lines, an empty line, the body."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Guide

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES: Final = ("capture", "recall", "maintain", "scout-history", "map-code")
"""In the order in which they are told."""


def guides(tool_prefix: str) -> tuple[Guide, ...]:
    """All guides; each says in its last line what a client that shows tools with a prefix puts before their names."""
    return tuple(_guide(name, tool_prefix) for name in NAMES)


def _guide(name: str, tool_prefix: str) -> Guide:
    source = resources.files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    head, _, body = source.partition("\n\n")
    told = dict(_fields(head))
    named = f"\nYour client puts `{tool_prefix}` before the tools' names.\n" if tool_prefix else ""
    return Guide(
        name=name,
        title=told["title"],
        description=told["description"],
        body=body + named,
        version=int(told["version"]),
    )


def _fields(head: str) -> Iterator[tuple[str, str]]:
    for line in head.splitlines():
        key, _, value = line.partition(": ")
        yield key, value
