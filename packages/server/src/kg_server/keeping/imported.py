"""What a source of imports has offered before, kept in ``state/imports``: one that is repeated changes nothing."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_core.store import OsFiles
from kg_core.store.files import replace_file
from kg_core.store.layout import compact
from kg_core.store.regular import read_regular
from kg_core.store.slices import batches, in_slices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kg_core.model import GraphKey
    from kg_core.store import Home

_LINE: Final = 500
"""Versions on one line of the record."""


@dataclass(frozen=True, slots=True)
class Offered:
    """The versions of what a source offered, for each graph, and the projects that came with it, by its own names."""

    versions: Mapping[GraphKey, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    projects: Mapping[str, GraphKey] = field(default_factory=lambda: MappingProxyType({}))


def read(home: Home, source: str) -> Offered:
    """What earlier imports from this source offered; nothing when it cannot be read. Blocking."""
    versions: dict[GraphKey, dict[str, str]] = {}
    projects: dict[str, GraphKey] = {}
    try:
        _, *lines = read_regular(_path(home, source)).splitlines()
        for line in lines:
            record = json.loads(line)
            found = {str(name): str(version) for name, version in record["offered"].items()}
            versions.setdefault(str(record["graph"]), {}).update(found)
            if "project" in record:
                projects[str(record["project"])] = str(record["graph"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Offered()
    return Offered(versions, projects)


async def write(home: Home, source: str, offered: Offered) -> None:
    """Keeps what was offered. Where that cannot be written, the next import takes more for news than there is."""
    pieces = [piece async for piece in in_slices(_pieces(source, offered))]
    with contextlib.suppress(OSError):
        await asyncio.to_thread(_write, _path(home, source), pieces)


def _path(home: Home, source: str) -> Path:
    name = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return home.imports / f"{name}.json"


def _pieces(source: str, offered: Offered) -> Iterator[bytes]:
    """A line with the source, lines with a project and its graph, then lines with a graph and some of its versions."""
    yield compact({"source": source}) + b"\n"
    for slug, key in offered.projects.items():
        yield compact({"graph": key, "offered": {}, "project": slug}) + b"\n"
    for key, versions in offered.versions.items():
        for batch in batches(versions.items(), _LINE):
            yield compact({"graph": key, "offered": dict(batch)}) + b"\n"


def _write(path: Path, pieces: Sequence[bytes]) -> None:
    files = OsFiles()
    files.make_folder(path.parent)
    replace_file(files, path, pieces)
