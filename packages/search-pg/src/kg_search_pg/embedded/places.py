"""Where a private Postgres keeps its data and listens."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kg_plugin_api import SearchUnavailable

_LONGEST_SOCKET: Final = 103
"""Bytes of a socket's path that every system takes."""
PORT: Final = "5432"
"""A part of the socket's name: nobody listens on a port."""
_SOCKET: Final = f".s.PGSQL.{PORT}"


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one memory's Postgres. ``root`` is ``state/pg`` of the memory."""

    root: Path

    @property
    def data(self) -> Path:
        """The data folder of Postgres."""
        return self.root / "data"

    @property
    def log(self) -> Path:
        """What Postgres says before it ends; never a text that was stored or searched."""
        return self.root / "log"

    @property
    def pid_file(self) -> Path:
        """What a running Postgres leaves in its data folder, and a killed one too."""
        return self.data / "postmaster.pid"

    @property
    def sockets(self) -> Path:
        """The folder of the socket: ours, unless nobody can connect there."""
        own = self.root / "run"
        if _takes_socket(own):
            return own
        name = f"kg-{os.getuid()}-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]}"
        folders = [Path(tempfile.gettempdir()) / name, Path("/tmp") / name]
        return next((each for each in folders if _takes_socket(each)), folders[-1])

    @property
    def socket(self) -> Path:
        """The socket itself."""
        return self.sockets / _SOCKET

    @property
    def socket_lock(self) -> Path:
        """What a running Postgres leaves beside its socket, and a killed one too."""
        return self.sockets / f"{_SOCKET}.lock"


def _takes_socket(folder: Path) -> bool:
    """Whether a socket can lie in a folder and be named to libpq, which wants UTF-8 and takes a comma for two hosts."""
    name = str(folder)
    return len(os.fsencode(folder / _SOCKET)) <= _LONGEST_SOCKET and "," not in name and name.isprintable()


def private(folder: Path) -> Path:
    """Makes a folder that only we can enter. Raises SearchUnavailable when it is there and somebody else's."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise SearchUnavailable(f"{folder} is no folder of its own. Remove it, so that our Postgres can be there.")
    if found.st_uid != os.getuid():
        raise SearchUnavailable(
            f"{folder} belongs to somebody else (user {found.st_uid}; kg runs as {os.getuid()}). "
            "Run kg as that user, or remove the folder, so that our Postgres can be there."
        )
    folder.chmod(0o700)
    return folder
