"""Folders in which a person wants no memory: ``[projects] off``."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kg_core.store.settings import ProjectSettings

TOLD: Final = "The user has turned memory off in this folder, so nothing was read or saved. Go on without it."
"""What an agent is told that calls a tool there."""


async def is_off(settings: ProjectSettings, *folders: str) -> bool:
    """Whether one of ``folders`` is such a folder or lies in one, whatever name it is known by; no name is none."""
    named = [folder for folder in folders if folder]
    return bool(settings.off and named) and await asyncio.to_thread(lies_off, settings, *named)


def lies_off(settings: ProjectSettings, *folders: str) -> bool:
    """The same, and blocking."""
    return any(_lies_in(folder, off) for folder in folders if folder for off in settings.off)


def off_note(folder: str) -> str:
    """What a person is told who looks at the memory from there."""
    return f"Memory is off for agents in {folder}, as `off` in `[projects]` of config.toml says."


def _lies_in(folder: str, off: str) -> bool:
    """Told by the name as it is given, for a link in there may lead out, and by where that leads. By the disk's
    numbers too, for some disks have several spellings of one name.
    """
    try:
        named, meant = Path(folder), Path(off).expanduser()
        here, there = named.resolve(), meant.resolve()
        if here.is_relative_to(there) or Path(os.path.normpath(named)).is_relative_to(os.path.normpath(meant)):
            return True
        return there.exists() and any(each.exists() and each.samefile(there) for each in (here, *here.parents))
    except (OSError, RuntimeError, ValueError):  # a loop of links; no home; what can be no path
        return False
