"""Which files of a folder are documents: what git knows of them, without links, secrets' hiding places and excludes."""

from __future__ import annotations

import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError
from kg_search_pg.documents.ignoring import Ignoring

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LARGEST: Final = 600_000
"""Bytes of a file; larger ones are generated."""
_LARGEST_POINTER: Final = 1_024
_POINTER: Final = b"version https://git-lfs.github.com/spec/"
"""How Git LFS begins what it leaves in place of a file that it has not brought."""
SUFFIXES: Final = (".md", ".markdown")
_GIT: Final = (
    "git",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",  # it would run a program that the repository names
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
)
_OFFLINE: Final = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
"""What a partial clone lacks is not brought by a transport or a program that the repository names."""
_GIT_SECONDS: Final = 60.0
_KEPT: Final = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")
_BUILT: Final = frozenset(
    {"node_modules", "site-packages", "__pycache__", "venv", "vendor", "target", "dist", "build", "out", "coverage"}
)
"""Folders of what was made or brought; where git does not say which these are."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of a folder by their names below it, and why other Markdown files are none of them."""

    names: tuple[str, ...]
    left_out: Mapping[str, str]


def listed(root: Path) -> Listing:
    """The documents below a folder. Blocking.

    In a git work tree: what git tracks or would track. Elsewhere: everything but hidden folders and those of built or
    installed things. Raises NOT_FOUND when there is no such folder, CONFLICT when it is another's by a link, and
    UNAVAILABLE when nobody can look at it, or say what belongs to it.
    """
    try:
        is_folder = root.is_dir()
    except OSError as error:
        raise KgError(Code.UNAVAILABLE, f"{root} cannot be looked at ({error.strerror}).") from error
    if not is_folder:
        raise KgError(Code.NOT_FOUND, f"There is no folder {root}.")
    if (real := os.path.realpath(root)) != str(root):
        moved = f"{root} is only a link to {real} now. `kg pg docs add {real}` indexes what is there"
        raise KgError(Code.CONFLICT, f"{moved}, and `kg pg docs remove {root}` forgets what was indexed before.")
    top = _work_tree(root)
    ignoring = Ignoring(top or root)
    names, left_out = [], {}
    for name in sorted(set(_walked(root) if top is None else _tracked(root))):
        if not name.casefold().endswith(SUFFIXES):
            continue
        reason = _reason(root, name, ignoring, top or root)
        if reason is None:
            names.append(name)
        elif reason:
            left_out[name] = reason
    return Listing(tuple(names), left_out)


def overlap(one: Path, other: Path) -> bool:
    """Whether the same file may be a document of both folders. What is in a git work tree within the other, as a
    submodule is, is that work tree's alone. Blocking.
    """
    inner, outer = (one, other) if one.is_relative_to(other) else (other, one)
    if not inner.is_relative_to(outer):
        return False
    between = (folder for folder in (inner, *inner.parents) if folder != outer and folder.is_relative_to(outer))
    return not any(map(_is_work_tree, between))


def read(root: Path, name: str) -> bytes:
    """A document's bytes. Never follows a link. Raises OSError."""
    handle = os.open(root / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        return file.read(LARGEST + 1)


def _reason(root: Path, name: str, ignoring: Ignoring, top: Path) -> str | None:
    """Why a file is no document; empty when it is not even there, ``None`` when it is one."""
    path = root / name
    try:
        found = path.lstat()
    except OSError:
        return ""
    if stat.S_ISLNK(found.st_mode) or os.path.realpath(path) != str(path):
        return "it is a link, or is reached by one"
    if not stat.S_ISREG(found.st_mode):
        return "it is no file"
    if ignoring.keeps_out(path.relative_to(top).as_posix()):
        return ".kgignore"
    if found.st_size > LARGEST:
        return f"it has more than {LARGEST:,} bytes"
    if found.st_size <= _LARGEST_POINTER and _is_pointer(root, name):
        return "Git LFS has not brought its text (`git lfs pull` does)"
    return None


def _is_pointer(root: Path, name: str) -> bool:
    try:
        return read(root, name).startswith(_POINTER)
    except OSError:
        return False  # whoever reads it says so


def _work_tree(root: Path) -> Path | None:
    return next((folder for folder in (root, *root.parents) if _is_work_tree(folder)), None)


def _is_work_tree(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")  # Path.exists would raise where nobody can look into the folder


def _tracked(root: Path) -> Iterator[str]:
    environ = {name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            _GIT,
            cwd=root,
            env={**environ, **_OFFLINE, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unlisted(root, str(error)) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it did not say why"]
        raise _unlisted(root, said[-1])
    return (os.fsdecode(name) for name in done.stdout.split(b"\0") if name)


def _unlisted(root: Path, why: str) -> KgError:
    return KgError(Code.UNAVAILABLE, f"git does not say which files belong to {root} ({why}).")


def _walked(root: Path) -> Iterator[str]:
    """Every file but those of hidden folders, of built things, and of git work trees, whose excludes are their own."""
    for folder, folders, files in os.walk(root, followlinks=False):
        here = Path(folder)
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and name not in _BUILT and not _is_work_tree(here / name)
        ]
        yield from ((here / name).relative_to(root).as_posix() for name in files)
