"""Sources of memory on disk: which format they have, and what they hold. Blocking; nothing is written."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final

from kg_core.exchange import archive, automemory, bullets, official, own, peer
from kg_core.exchange.found import File
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kg_core.exchange.found import Found

FORMATS: Final = (own.FORMAT, peer.FORMAT, official.FORMAT, automemory.FORMAT, bullets.FORMAT)
_OF_A_FILE: Final = frozenset({own.FORMAT, official.FORMAT, bullets.FORMAT})


def check(path: Path, form: str = "") -> None:
    """Looks whether something can be read at ``path``, without reading it.

    Raises NOT_FOUND, UNAVAILABLE, and INVALID for a folder where ``form`` is one of files, and for what is no file and
    no folder: a pipe or a device may never end.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise _unreadable(path, error) from error
    if stat.S_ISREG(mode) or (stat.S_ISDIR(mode) and form not in _OF_A_FILE):
        return
    if stat.S_ISDIR(mode):
        sentence = f"{path} is a folder. Name a file."
    else:
        what = "no regular file" if form in _OF_A_FILE else "neither a file nor a folder"
        sentence = f"{path} is {what}. Write what comes out of it into a file first."
    raise KgError(Code.INVALID, sentence, {"path": str(path)})


async def read_source(path: Path, form: str = "") -> Found:
    """What the file or folder at ``path`` holds; ``form`` is one of :data:`FORMATS`, recognised when empty.

    Raises as :func:`check`, and INVALID for what is none of them, with what can be imported.
    """
    check(path, form)
    try:
        form = form or _recognised(path)
        if form == own.FORMAT:
            return await own.read(path)
        if form == peer.FORMAT:
            return peer.read(_files(path, peer.wanted))
        if form == automemory.FORMAT:
            return automemory.read(_files(path, automemory.wanted))
        return official.read(_file(path)) if form == official.FORMAT else bullets.read(_file(path))
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> KgError:
    if isinstance(error, FileNotFoundError) and path.name == "-":
        sentence = f"There is no {path}, and standard input is not read. Write what comes from it into a file first."
        return KgError(Code.NOT_FOUND, sentence)
    if isinstance(error, FileNotFoundError):
        return KgError(Code.NOT_FOUND, f"There is no {path}.")
    return KgError(Code.UNAVAILABLE, f"{path} cannot be read ({error.strerror}).")


def _recognised(path: Path) -> str:
    if path.is_dir():
        names = {found.relative_to(path).as_posix() for found in path.rglob("*.json")}
        if peer.is_one(names):
            return peer.FORMAT
        if automemory.is_one({found.name for found in path.glob("*.md")}):
            return automemory.FORMAT
    elif archive.is_one(path):
        return own.FORMAT
    else:
        file = _file(path)
        if official.is_one(file):
            return official.FORMAT
        if own.is_one(file.data) or (path.suffix.lower() == ".json" and own.is_damaged(file.data)):
            return own.FORMAT  # whose reader says where a damaged one breaks off
        if path.suffix.lower() in {".md", ".markdown", ".txt"}:
            return bullets.FORMAT
    raise KgError(
        Code.INVALID,
        f"{path} is nothing that kg knows. It imports: a folder of kg-memory 0.17, the JSONL file of the MCP memory "
        "server, a folder of Claude Code's auto-memory, a Markdown file with lists, an export or backup of kg.",
        {"path": str(path)},
    )


def _files(folder: Path, wanted: Callable[[str], bool]) -> dict[str, File]:
    if not folder.is_dir():
        raise KgError(Code.INVALID, f"{folder} is no folder.")
    names = sorted(found.relative_to(folder).as_posix() for found in folder.rglob("*") if found.is_file())
    return {name: _file(folder / name) for name in names if wanted(name)}


def _file(path: Path) -> File:
    return File(path.read_bytes(), path.stat().st_mtime_ns // 1_000_000)
