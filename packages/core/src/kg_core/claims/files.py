"""Reading settings files and replacing them atomically. All file I/O of the editor is here."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

MAX_BYTES: Final = 64 * 1024 * 1024
_ASIDE: Final = re.compile(r"\.kg-([0-9]{1,10})-[0-9a-f]{16}\.tmp")
"""What follows a file's name where its new content is written: whose run it is, and a name that nobody else has."""
_STRAY_SECONDS: Final = 600
"""No run takes longer to write one file, whatever process has its number by now."""
_PRIVATE_FILE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700


class Changed(Exception):
    """The file is not as it was when the change was planned; nothing was written."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was read. ``mode`` is its permission bits."""

    data: bytes
    mode: int


class Files(Protocol):
    """What the editor needs of a file system. Paths of files are resolved ones, all errors are OSError."""

    def resolve(self, path: Path) -> Path:
        """The path with all symlinks followed; the file need not be there."""
        ...

    def read(self, path: Path) -> Found | None:
        """None when there is no file. Raises OSError, also for what is no regular file or is larger than MAX_BYTES."""
        ...

    def replace(self, path: Path, data: bytes, expected: Found | None, mode: int | None) -> None:
        """Puts ``data`` in place of what was read, in one step: after any failure the file is either old or new.

        Owner and mode stay, unless ``mode`` says another; a new file is private. The folder must be there.
        Raises Changed when the file is no longer what ``expected`` says, OSError.
        """
        ...

    def remove(self, path: Path, expected: Found) -> None:
        """Deletes a file. Raises Changed, OSError."""
        ...

    def tidy(self, path: Path) -> None:
        """Removes what killed runs left beside a file: only what bears our mark and nobody writes any more."""
        ...

    def is_folder(self, path: Path) -> bool:
        """Whether a folder is there."""
        ...

    def make_folder(self, path: Path) -> None:
        """Makes one private folder; nothing happens when it is there."""
        ...

    def remove_folder(self, path: Path) -> None:
        """Removes a folder when it is empty, else nothing happens."""
        ...


class OsFiles:
    """Implements Files for this machine."""

    def resolve(self, path: Path) -> Path:
        """See Files."""
        return Path(os.path.realpath(path))

    def read(self, path: Path) -> Found | None:
        """See Files."""
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise OSError(f"{path} is not a regular file")
            if status.st_size > MAX_BYTES:
                raise OSError(f"{path} is larger than {MAX_BYTES} bytes")
            return Found(path.read_bytes(), stat.S_IMODE(status.st_mode))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def replace(self, path: Path, data: bytes, expected: Found | None, mode: int | None) -> None:
        """See Files."""
        aside = path.with_name(f"{_hidden(path)}.kg-{os.getpid()}-{secrets.token_hex(8)}.tmp")
        try:
            self._write_new(aside, data, path, expected, mode)
            self._check(path, expected)
            os.replace(aside, path)  # noqa: PTH105 - the one step that makes it atomic, named as the system names it
        except BaseException:
            with contextlib.suppress(OSError):
                aside.unlink(missing_ok=True)
            raise
        self._sync_folder(path.parent)

    def remove(self, path: Path, expected: Found) -> None:
        """See Files."""
        self._check(path, expected)
        path.unlink()
        self._sync_folder(path.parent)

    def tidy(self, path: Path) -> None:
        """See Files."""
        hidden = _hidden(path)
        with contextlib.suppress(OSError), os.scandir(path.parent) as entries:
            for entry in entries:
                ours = _ASIDE.fullmatch(entry.name.removeprefix(hidden)) if entry.name.startswith(hidden) else None
                if ours is not None and entry.is_file(follow_symlinks=False) and _is_stray(entry, int(ours[1])):
                    with contextlib.suppress(OSError):
                        os.unlink(entry.path)  # noqa: PTH108 - an entry of the folder that is being read

    def is_folder(self, path: Path) -> bool:
        """See Files."""
        return os.path.isdir(path)  # noqa: PTH112 - below a folder that may not be looked into, making one tells why

    def make_folder(self, path: Path) -> None:
        """See Files."""
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=_PRIVATE_FOLDER)

    def remove_folder(self, path: Path) -> None:
        """See Files."""
        with contextlib.suppress(OSError):
            path.rmdir()

    def _write_new(self, aside: Path, data: bytes, path: Path, expected: Found | None, mode: int | None) -> None:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _PRIVATE_FILE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if expected is not None and hasattr(os, "fchown"):
                old, new = path.stat(), os.fstat(descriptor)
                if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
                    os.fchown(descriptor, old.st_uid, old.st_gid)
            wanted = mode if mode is not None else expected.mode if expected is not None else _PRIVATE_FILE
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, wanted)
            os.fsync(descriptor)

    def _check(self, path: Path, expected: Found | None) -> None:
        found = self.read(path)
        if (None if found is None else found.data) != (None if expected is None else expected.data):
            raise Changed(str(path))

    def _sync_folder(self, folder: Path) -> None:
        if os.name != "posix":
            return
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError:  # some file systems cannot sync a folder; the rename itself is done
            pass
        finally:
            os.close(descriptor)


def _hidden(path: Path) -> str:
    """How the names of what is written beside a file begin."""
    return f".{path.name[:100]}"


def _is_stray(entry: os.DirEntry[str], writer: int) -> bool:
    """Whether the run that wrote this is over: its process is gone, or has long become another one."""
    if time.time() - entry.stat(follow_symlinks=False).st_mtime >= _STRAY_SECONDS:
        return True
    if os.name != "posix":  # there, asking for a process by this call would end it
        return False
    try:
        os.kill(writer, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        return False
    return False
