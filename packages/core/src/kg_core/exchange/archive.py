"""Backups: the memory folder in one compressed archive, with a manifest that says what it is. Blocking."""

from __future__ import annotations

import io
import json
import os
import tarfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from kg_core.model import Millis

MANIFEST: Final = "kg-backup.json"
FORMAT: Final = 1
FOLDER: Final = "memory/"
_LARGEST: Final = 1 << 30
"""Bytes that one file of an archive may unpack to."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a backup: its name below the memory folder, with slashes, and its bytes."""

    name: str
    chunks: tuple[bytes, ...]


def write(path: Path, members: Iterable[Member], manifest: Mapping[str, object], at: Millis) -> None:
    """Writes a backup that only its owner may read; it is there whole or not at all. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as archive:
                head = json.dumps({"format": FORMAT, **manifest}, indent=2, ensure_ascii=False) + "\n"
                _add(archive, MANIFEST, (head.encode(),), at)
                for member in members:
                    _add(archive, FOLDER + member.name, member.chunks, at)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_one(path: Path) -> bool:
    """Whether the file is a compressed archive, by its first bytes."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def read(path: Path) -> dict[str, bytes]:
    """The files of a backup by their name below the memory folder. Nothing is unpacked to the disk.

    Raises INVALID for what is no backup, READ_ONLY for one that a later version of kg wrote.
    """
    try:
        with tarfile.open(path, "r:gz") as archive:
            return _files(archive, path)
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, RecursionError) as error:
        raise KgError(Code.INVALID, f"{path} is no backup of kg, or is damaged ({error}).") from error


def _files(archive: tarfile.TarFile, path: Path) -> dict[str, bytes]:
    manifest: object = None
    files: dict[str, bytes] = {}
    for entry in archive:
        if not entry.isfile() or entry.size > _LARGEST:
            continue
        source = archive.extractfile(entry)
        data = b"" if source is None else source.read()
        if entry.name == MANIFEST:
            manifest = json.loads(data)
        elif entry.name.startswith(FOLDER):
            files[entry.name.removeprefix(FOLDER)] = data
    form = manifest.get("format", FORMAT) if isinstance(manifest, dict) else None
    if not isinstance(form, int):
        raise ValueError(f"it has no {MANIFEST} that says its format")
    if form > FORMAT:
        raise KgError(Code.READ_ONLY, f"{path} was written by a later version of kg.")
    return files


def _add(archive: tarfile.TarFile, name: str, chunks: tuple[bytes, ...], at: Millis) -> None:
    data = b"".join(chunks)
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = len(data), at // 1000, 0o600
    archive.addfile(entry, io.BytesIO(data))
