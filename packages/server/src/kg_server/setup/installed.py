"""How this kg was installed, and what a person types to add a plug-in to it or to remove it."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from importlib import metadata
from itertools import pairwise
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DISTRIBUTION: Final = "kg-server"
FIRST_PARTY: Final[Mapping[str, str]] = MappingProxyType(
    {"antigravity": "agy", "claude": "claude", "codex": "codex", "copilot": "copilot"}
)
"""Harnesses whose plug-ins are our own, and the program by which their agent is found before the plug-in is there."""


class Means(StrEnum):
    """What a person installed kg with."""

    PIP = "pip"
    UV_TOOL = "uv tool"
    PIPX = "pipx"
    CACHE = "cache"
    """A cache that may be cleared at any time, as with ``uvx``: nothing lasting can point there."""


def means(prefix: str = sys.prefix) -> Means:
    """How the environment at ``prefix`` came to be."""
    parts = PurePath(prefix).parts
    pairs = set(pairwise(parts))
    if ("uv", "tools") in pairs:
        return Means.UV_TOOL
    if ("pipx", "venvs") in pairs:
        return Means.PIPX
    if any(part.startswith(("archive-v", "environments-v")) for part in parts) or ("pipx", ".cache") in pairs:
        return Means.CACHE
    return Means.PIP


def add_line(harness: str, how: Means | None = None) -> str:
    """What a person types so that this kg gets the plug-in of a harness, beside those that it has."""
    extras = ",".join(sorted({harness, *(_names() & set(FIRST_PARTY))} if harness in FIRST_PARTY else {harness}))
    match how or means():
        case Means.UV_TOOL:
            return f"uv tool install --force '{DISTRIBUTION}[{extras}]'"
        case Means.PIPX:
            return f"pipx install --force '{DISTRIBUTION}[{extras}]'"
        case Means.CACHE | Means.PIP:
            return f"{shlex.quote(sys.executable)} -m pip install kg-harness-{harness}"


def remove_line(how: Means | None = None) -> str:
    """What a person types to remove kg itself."""
    match how or means():
        case Means.UV_TOOL:
            return f"uv tool uninstall {DISTRIBUTION}"
        case Means.PIPX:
            return f"pipx uninstall {DISTRIBUTION}"
        case Means.CACHE | Means.PIP:
            names = sorted(name for name in _ours() if name.startswith("kg-"))
            return f"{shlex.quote(sys.executable)} -m pip uninstall {' '.join(names)}"


def lasting(python: Path = Path(sys.executable)) -> bool:
    """Whether the interpreter stays where it is, so that settings may name it."""
    return means(str(python.parent.parent)) is not Means.CACHE


def _names() -> set[str]:
    return {name.removeprefix("kg-harness-") for name in _ours() if name.startswith("kg-harness-")}


def _ours() -> Iterable[str]:
    return {name.lower() for found in metadata.distributions() if (name := found.name).lower().startswith("kg-")}
