"""One server per storage: a lock of the operating system, held for life. Its file says who holds it.

A lock is only as good as its file: whoever removes that lets a second server in. So the holder looks after it.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from kg_core.home import Home
    from kg_core.store.files import Files, Held


class Lock:
    """The right to write to a home. Blocking; :meth:`confirm` is called from one thread at a time."""

    def __init__(self, files: Files, home: Home) -> None:
        """Takes the lock. Raises CONFLICT naming the holder, and OSError where no lock file can be made.

        What a lock file says is never taken as a sign of life: a stale one, or one that names a stranger, is in no way.
        """
        self._files = files
        self._home = home
        self._port: int | None = None
        self._held = _taken(files, home)
        self.announce(None)

    def announce(self, port: int | None) -> None:
        """Says in the lock file who holds it. Best effort: the lock itself is what counts."""
        self._port = port
        with contextlib.suppress(OSError):
            self._held.describe(json.dumps({"pid": os.getpid(), "port": port}) + "\n")

    def confirm(self) -> bool:
        """Makes sure that nobody else can have the lock; whether it was in place all the time.

        A lock file that is gone is made anew. Raises CONFLICT when another server has been quicker, and OSError.
        """
        if self._held.is_at(self._home.lock):
            return True
        self._files.make_folder(self._home.state)
        taken = _taken(self._files, self._home)
        self._held.release()
        self._held = taken
        self.announce(self._port)
        return False

    def release(self) -> None:
        """Gives the lock back."""
        self._held.release()


def _taken(files: Files, home: Home) -> Held:
    held = files.lock(home.lock)
    if not isinstance(held, str):
        return held
    holder = _holder(held)
    names = [f"{name} {holder[name]}" for name in ("pid", "port") if holder.get(name)]
    raise KgError(
        Code.CONFLICT,
        f"{home.root} is already served by another kg server ({', '.join(names) or 'it did not say which'}).",
        {"path": str(home.root), **holder},
    )


def _holder(text: str) -> dict[str, object]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return {name: record[name] for name in ("pid", "port") if record.get(name)} if isinstance(record, dict) else {}
