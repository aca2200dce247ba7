"""How this kg was installed, and what a person types to add a plug-in to it or to remove it."""

from __future__ import annotations

import json
import re
import shlex
import sys
from enum import StrEnum
from importlib import metadata
from itertools import pairwise
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from kg_plugin_api import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.metadata import Distribution

DISTRIBUTION: Final = "kg-server"
_OTHERS: Final = frozenset({"kg-core", "kg-plugin-api", "kg-plugin-testing"})
"""Our distributions beside it that are no plug-ins."""
FIRST_PARTY: Final[Mapping[str, str]] = MappingProxyType(
    {"antigravity": "agy", "claude": "claude", "codex": "codex", "copilot": "copilot"}
)
"""Harnesses whose plug-ins are our own, and the program by which their agent is found before the plug-in is there."""
FIRST_PARTY_SEARCH: Final = frozenset({"pg"})
"""Search backends whose plug-ins are our own."""


class Means(StrEnum):
    """What a person installed kg with."""

    PIP = "pip"
    UV_PIP = "uv pip"
    """An environment without pip, as uv makes them."""
    UV_TOOL = "uv tool"
    PIPX = "pipx"
    CACHE = "cache"
    """A cache that may be cleared at any time, as with ``uvx``: nothing lasting can point there."""


def means(prefix: str = sys.prefix) -> Means:
    """How the environment at ``prefix`` came to be: by its place, or by what its maker left there."""
    parts = PurePath(prefix).parts
    pairs = set(pairwise(parts))
    if any(part.startswith(("archive-v", "environments-v")) for part in parts) or ("pipx", ".cache") in pairs:
        return Means.CACHE
    if ("uv", "tools") in pairs or (Path(prefix) / "uv-receipt.toml").is_file():
        return Means.UV_TOOL
    if ("pipx", "venvs") in pairs or (Path(prefix) / "pipx_metadata.json").is_file():
        return Means.PIPX
    if not (Path(prefix) / "pyvenv.cfg").is_file():
        return Means.PIP
    packages = ("lib/python*/site-packages/pip", "Lib/site-packages/pip")
    return Means.PIP if any(found for each in packages for found in Path(prefix).glob(each)) else Means.UV_PIP


def add_line(name: str, how: Means | None = None) -> str:
    """What a person types so that this kg gets the plug-in of a first-party harness or search backend, and keeps those
    that it has.
    """
    there = _installed()
    extras = _extras(DISTRIBUTION, there)
    wanted = f"'{DISTRIBUTION}[{','.join(sorted({name, *extras}))}]'"
    way = how or means()
    match way:
        case Means.UV_TOOL:  # makes the environment anew, with nothing but what the line names
            beside = [shlex.quote(plugin) for plugin in _beside(extras, there)]
            return " ".join(["uv tool install --force", wanted, *(f"--with {plugin}" for plugin in beside)])
        case Means.PIPX:
            return f"pipx install --force {wanted}"
        case Means.CACHE | Means.PIP | Means.UV_PIP:
            folder = f"{'search' if name in FIRST_PARTY_SEARCH else 'harness'}-{name}"
            source = _beside_server(folder, there) or f"kg-{folder}"
            return f"{_pip('install', way)} {shlex.quote(source)}"


def remove_line(how: Means | None = None) -> str:
    """What a person types to remove kg itself, with its plug-ins."""
    way = how or means()
    match way:
        case Means.UV_TOOL:
            return f"uv tool uninstall {DISTRIBUTION}"
        case Means.PIPX:
            return f"pipx uninstall {DISTRIBUTION}"
        case Means.CACHE | Means.PIP | Means.UV_PIP:
            there = _installed()
            names = [name for name in sorted(there) if name in {DISTRIBUTION, *_OTHERS} or _is_plugin(there[name])]
            return f"{_pip('uninstall', way)} {' '.join(names)}"


def lasting() -> bool:
    """Whether the interpreter stays where it is, so that settings may name it."""
    return means(str(Path(sys.executable).parent.parent)) is not Means.CACHE


def _pip(verb: str, how: Means) -> str:
    """What a person types before the names of distributions, for this environment."""
    python = shlex.quote(sys.executable)
    return f"uv pip {verb} --python {python}" if how is Means.UV_PIP else f"{python} -m pip {verb}"


def _extras(name: str, there: Mapping[str, Distribution]) -> Mapping[str, frozenset[str]]:
    """The extras of a distribution of which everything is there, each with what it brings."""
    brings: dict[str, set[str]] = {}
    for line in (there[name].requires or ()) if name in there else ():
        required, extra = re.match(r"[\w.-]+", line), re.search(r"\bextra\s*==\s*['\"]([\w.-]+)", line)
        if required and extra:
            brings.setdefault(extra[1], set()).add(_normal(required[0]))
    return {extra: frozenset(names) for extra, names in brings.items() if names <= there.keys()}


def _beside(extras: Mapping[str, frozenset[str]], there: Mapping[str, Distribution]) -> Iterator[str]:
    """The plug-ins that are there otherwise than by these extras, or with extras of their own."""
    brought = frozenset().union(*extras.values())
    for name in sorted(there):
        own = ",".join(sorted(_extras(name, there)))
        if _is_plugin(there[name]) and (own or name not in brought):
            yield f"{name}[{own}]" if own else name


def _beside_server(folder: str, there: Mapping[str, Distribution]) -> str:
    """The package in ``folder`` beside the one on this disk that kg-server was installed from, as from a clone; else
    empty: no index need have it, or it may have another of its name.
    """
    try:
        url = urlsplit(str(json.loads(there[DISTRIBUTION].read_text("direct_url.json") or "")["url"]))
    except (KeyError, TypeError, ValueError):
        return ""
    found = Path(url2pathname(url.path)).parent / folder
    return str(found) if url.scheme == "file" and (found / "pyproject.toml").is_file() else ""


def _is_plugin(found: Distribution) -> bool:
    return bool(found.entry_points.select(group=PROJECT))


def _installed() -> Mapping[str, Distribution]:
    """By name; what a removal left half behind has none."""
    named = ((found, found.metadata) for found in metadata.distributions())
    return {_normal(about["Name"]): found for found, about in named if "Name" in about}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
