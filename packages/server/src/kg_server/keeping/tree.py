"""The files of a work tree."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.model.projectmap import FOLDER
from kg_core.policy.mapcheck import Tree
from kg_plugin_api import Code, KgError
from kg_server.keeping.git import GitFailed, quietly

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_FILES: Final = 100_000
_SKIPPED: Final = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})
"""Folders without git that hold nothing that a person wrote; nor do those whose name begins with a dot."""


def own_folder(tree: Path) -> Path:
    """The folder of a work tree that is kg's. Raises INVALID for a link: a repository must not lead us to other files,
    and what it shares lies in itself.
    """
    folder = tree / FOLDER
    if folder.is_symlink():
        raise KgError(Code.INVALID, f"{folder} is a symbolic link. Put a folder in its place, then run this again.")
    return folder


def own_file(tree: Path, name: str) -> Path:
    """A file of ours in a work tree. Raises INVALID for a link in its place, or in that of its folder."""
    file = own_folder(tree) / name
    if file.is_symlink():
        raise KgError(Code.INVALID, f"{file} is a symbolic link. Remove it, then run this again.")
    return file


async def files_of(folder: Path) -> Tree:
    """The files that git knows or would add; without git those that are there."""
    try:
        listed = await quietly(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    except GitFailed:
        return await asyncio.to_thread(lambda: Tree(tuple(_walked(folder))))
    paths = tuple(dict.fromkeys(filter(None, listed.split("\0"))))[:_MOST_FILES]

    def apart() -> Tree:
        repositories = tuple(path.rstrip("/") for path in paths if (folder / path).is_dir())
        return Tree(
            tuple(path for path in paths if os.path.lexists(folder / path) and path not in repositories), repositories
        )

    return await asyncio.to_thread(apart)


def _walked(folder: Path) -> Iterator[str]:
    count = 0
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(names):
            yield Path(above, name).relative_to(folder).as_posix()
            count += 1
            if count >= _MOST_FILES:
                return
