"""Folders in which a person wants no memory: ``[projects] off``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kg_core.store.settings import ProjectSettings

TOLD: Final = "The user has turned memory off in this folder, so nothing was read or saved. Go on without it."
"""What an agent is told that calls a tool there."""


async def is_off(settings: ProjectSettings, cwd: str) -> bool:
    """Whether ``cwd`` is such a folder or lies in one, whatever name it is known by; a folder of no name is none."""
    return bool(settings.off and cwd) and await asyncio.to_thread(_lies_in, settings.off, cwd)


def off_note(folder: str) -> str:
    """What a person is told who looks at the memory from there."""
    return f"Memory is off for agents in {folder}, as `off` in `[projects]` of config.toml says."


def _lies_in(folders: tuple[str, ...], cwd: str) -> bool:
    try:
        here = Path(cwd).resolve()
        return any(here.is_relative_to(Path(each).expanduser().resolve()) for each in folders)
    except (OSError, RuntimeError, ValueError):  # a loop of links; no home; what can be no path
        return False
