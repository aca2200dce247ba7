"""Reading settings files and replacing them atomically. All file I/O of the editor is here."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

MAX_BYTES: Final = 64 * 1024 * 1024
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
        aside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.tmp")
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

    def is_folder(self, path: Path) -> bool:
        """See Files."""
        return path.is_dir()

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
