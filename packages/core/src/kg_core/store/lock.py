"""One server per storage: a lock of the operating system, held for life. Its file says who holds it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from kg_core.store.files import Files, Held
    from kg_core.store.paths import Home


def take_lock(files: Files, home: Home) -> Held:
    """The lock of this home. Raises CONFLICT naming the holder, and OSError where no lock file can be made.

    What a lock file says is never taken as a sign of life: a stale one, or one that names a stranger, is in no way.
    """
    held = files.lock(home.lock)
    if not isinstance(held, str):
        describe_holder(held)
        return held
    holder = _holder(held)
    names = [f"{name} {holder[name]}" for name in ("pid", "port") if holder.get(name)]
    raise KgError(
        Code.CONFLICT,
        f"{home.root} is already served by another kg server ({', '.join(names) or 'it did not say which'}).",
        {"path": str(home.root), **holder},
    )


def describe_holder(held: Held, port: int | None = None) -> None:
    """Say in the lock file who holds it. Best effort: the lock itself is what counts."""
    try:
        held.describe(json.dumps({"pid": os.getpid(), "port": port}) + "\n")
    except OSError:
        return


def _holder(text: str) -> dict[str, object]:
    try:
        record = json.loads(text)
    except ValueError:
        return {}
    return {name: record[name] for name in ("pid", "port") if record.get(name)} if isinstance(record, dict) else {}
