"""Which code base a folder belongs to, from the files alone: no git process, and nothing is ever written."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from kg_core.model.ids import fold
from kg_core.store.owners import is_planted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TEMPORARY: Final = ("/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/private/var/folders", "/dev/shm")
_LONGEST_PATH: Final = 4096
"""Bytes; the longest path that systems look up, its end included."""
_LOST: Final = "\ufffd"
_MOST_NAMES: Final = 10_000
"""Entries of a folder that are looked at for one name."""
_LONGEST_LINE: Final = 8192
_LARGEST_CONFIG: Final = 1 << 20
_SETTING: Final = re.compile(r"^\s*(\w+)\s*=\s*(.*?)\s*$")
_SECTION: Final = re.compile(r'^\s*\[\s*(\w+)(?:\s+"(.*)")?\s*\]')
_SCP: Final = re.compile(r"^(?:[^@/]+@)?([^:/]+):(?!//)(.+)$")
_URL: Final = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+)$", re.IGNORECASE)


def is_path(text: str) -> bool:
    """Whether this could be a path of a file: short enough, and of characters that a path can have."""
    try:
        return "\0" not in text and len(os.fsencode(text)) < _LONGEST_PATH
    except UnicodeEncodeError:
        return False


def is_text(name: str) -> bool:
    """Whether the name of a file is UTF-8, as it must be where a text is to name it. Few systems make sure of that."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def as_on_disk(path: str) -> str:
    """The path as the disk has it, where whoever wrote it had no other way than U+FFFD for bytes that are no UTF-8.

    Unchanged where it is there, and where not one single name can be meant. Looks at the disk for such a path alone.
    """
    if _LOST not in path or not Path(path).is_absolute() or not is_path(path) or os.path.lexists(path):
        return path
    found = Path(Path(path).anchor)
    for part in Path(path).parts[1:]:
        name = part if _LOST not in part or os.path.lexists(found / part) else _meant(found, part)
        if not name:
            return path
        found /= name
    return str(found)


def _meant(folder: Path, lossy: str) -> str:
    """The one name in a folder that reads as ``lossy``; empty where there is none, or more than one."""
    try:
        with os.scandir(folder) as entries:
            names = [os.fsencode(entry.name) for entry in islice(entries, _MOST_NAMES)]
    except OSError:
        return ""
    meant = [name for name in names if name.decode("utf-8", "replace") == lossy]
    return os.fsdecode(meant[0]) if len(meant) == 1 else ""


@lru_cache(maxsize=4_096)
def spelling(path: Path) -> str:
    """A path without what some disks ignore in a name: case, and how an accent is composed."""
    return fold(str(path))


def is_same_folder(one: Path, other: Path) -> bool:
    """Whether the disk has one folder under two spellings of its path."""
    if one == other:
        return True
    try:
        return spelling(one) == spelling(other) and one.samefile(other)
    except (OSError, ValueError):
        return False


def is_among(path: Path, folders: Sequence[Path]) -> bool:
    """Whether this is one of the folders, however it is spelt."""
    return any(is_same_folder(path, folder) for folder in folders)


class Known(Protocol):
    """Folders that are known as roots."""

    def __contains__(self, root: Path, /) -> bool:
        """Whether this folder is one of them."""
        ...


@dataclass(frozen=True, slots=True)
class Places:
    """Folders that are no project: the user's home, the root, and those for temporary files."""

    home: Path
    temporary: tuple[Path, ...]

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Places:
        """The places of this machine and user."""
        named = [environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
        with contextlib.suppress(FileNotFoundError):  # what no file can be written into now, as its disk is full
            named.append(tempfile.gettempdir())
        temporary = [*_TEMPORARY, *(path for path in named if path)]
        home = Path(environ.get("HOME") or Path.home())
        return cls(_real(home), tuple(dict.fromkeys(_real(Path(path)) for path in temporary)))

    def is_special(self, path: Path) -> bool:
        """Whether this very folder can be no project."""
        return path == path.parent or is_among(path, (self.home, *self.temporary))

    def is_temporary(self, path: Path) -> bool:
        """Whether it lies among temporary files. A home inside a temporary folder is a home."""
        for above in (path, *path.parents):
            if is_among(above, (self.home,)):
                return False
            if is_among(above, self.temporary):
                return True
        return False


@dataclass(frozen=True, slots=True)
class Checkout:
    """The main checkout of a git repository, and its common git folder; a bare repository is its own checkout."""

    root: Path
    common: Path

    def remotes(self) -> tuple[str, ...]:
        """Its remotes, normalised, without credentials; ``origin`` first."""
        urls: list[tuple[bool, str]] = []
        for section, name, key, value in _config(self.common):
            remote = normalised_remote(value) if section == "remote" and key == "url" else ""
            if remote:
                urls.append((name != "origin", remote))
        return tuple(dict.fromkeys(remote for _, remote in sorted(urls)))


@dataclass(frozen=True, slots=True)
class Location:
    """Where a folder belongs: a root, with its checkout when it is in a git work tree."""

    root: Path
    checkout: Checkout | None = None


def locate(cwd: Path, places: Places, known: Known = ()) -> Location | None:
    """The root that ``cwd`` belongs to; ``None`` when it belongs to none and only the user's memory applies.

    The main checkout of the git work tree around it (of linked worktrees too; a submodule is its own); else the nearest
    of the ``known`` roots above; else the folder itself. A deleted folder counts as what it was.
    """
    path = _real(cwd)
    around = work_tree(path, places)
    if around is not None:
        return Location(around[1].root, around[1])
    for above in (path, *path.parents):
        if above in known and not places.is_special(above):
            return Location(above)
    if places.is_special(path) or places.is_temporary(path):
        return None
    return Location(path)


def work_tree(path: Path, places: Places) -> tuple[Path, Checkout] | None:
    """The top of the git work tree around a real path, and the checkout that it belongs to; ``None`` outside of one."""
    for above in (path, *path.parents):
        if places.is_special(above):
            return None
        checkout = None if is_planted(above) else _checkout_at(above)
        if checkout is not None:
            return None if places.is_special(checkout.root) else (above, checkout)
    return None


def is_within(path: Path, folder: Path) -> bool:
    """Whether a file lies below a folder once all links are followed; whether or not it is there."""
    return _real(path).is_relative_to(_real(folder))


def normalised_remote(url: str) -> str:
    """``host/path`` of a remote, the same for all ways to reach it; empty for a local one."""
    match = _URL.match(url) or _SCP.match(url)
    if match is None or url.lower().startswith("file:"):
        return ""
    host, path = match.group(1).lower(), match.group(2).strip("/")
    return f"{host}/{path.removesuffix('.git').rstrip('/')}"


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _checkout_at(folder: Path) -> Checkout | None:
    """The checkout whose work tree or git folder this is; ``None`` when it is neither."""
    dot_git = folder / ".git"
    if _is_git_folder(dot_git):
        return Checkout(folder, _real(dot_git))
    pointed = first_line(dot_git)
    if pointed.startswith("gitdir:"):
        return _linked(folder, _real(folder / pointed.removeprefix("gitdir:").strip()))
    return _main_checkout(folder) if _is_git_folder(folder) else None


def _linked(folder: Path, git_folder: Path) -> Checkout:
    """The checkout of a work tree whose ``.git`` is a file: a linked one, a submodule, or one with its folder apart."""
    named = first_line(git_folder / "commondir")
    common = _real(git_folder / named)
    if named and git_folder.parent == common / "worktrees":  # where git has them; one elsewhere may name any checkout
        return _main_checkout(common)
    if git_folder.parent.name == "worktrees" and not git_folder.exists():
        return _main_checkout(git_folder.parent.parent)
    return Checkout(folder, git_folder)


def _main_checkout(common: Path) -> Checkout:
    """The checkout of a common git folder: its declared work tree, the folder above ``.git``, else the bare one.

    Outside of a ``.git``, into which git lets no clone bring anything, a declared work tree must lead back: a folder of
    somebody's repository may look like a git folder and declare any.
    """
    for section, _, key, value in _config(common):
        tree = _real(common / value) if (section, key) == ("core", "worktree") else None
        if tree is not None and (".git" in common.parts or _leads_to(tree, common)):
            return Checkout(tree, common)
    if common.name == ".git":
        return Checkout(common.parent, common)
    return Checkout(common.parent if _leads_to(common.parent, common) else common, common)


def _leads_to(folder: Path, common: Path) -> bool:
    """Whether the ``.git`` of a folder is, or names, this git folder."""
    dot_git = folder / ".git"
    pointed = first_line(dot_git)
    if pointed.startswith("gitdir:"):
        dot_git = folder / pointed.removeprefix("gitdir:").strip()
    return _real(dot_git) == _real(common)


def _is_git_folder(path: Path) -> bool:
    try:
        return (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
    except OSError:
        return False


def first_line(path: Path) -> str:
    """The first line of one of git's own files; nothing where there is none that can be read."""
    line, _, _ = _text(path, _LONGEST_LINE).partition("\n")
    return line.strip()


def _text(path: Path, most: int) -> str:
    """The first ``most`` bytes of a regular file; nothing of any other, for a pipe or a device may never end."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _config(common: Path) -> list[tuple[str, str, str, str]]:
    """The settings of a git folder: section, the section's name, key, value."""
    settings: list[tuple[str, str, str, str]] = []
    section = name = ""
    for line in _text(common / "config", _LARGEST_CONFIG).splitlines():
        if heading := _SECTION.match(line):
            section, name = heading.group(1).lower(), heading.group(2) or ""
        elif setting := _SETTING.match(line):
            settings.append((section, name, setting.group(1).lower(), setting.group(2).strip('"')))
    return settings
