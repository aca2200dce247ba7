"""Whether a folder's owner made it the git checkout that it looks like. Reads file status alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_ROOT: Final = 0


def is_planted(folder: Path) -> bool:
    """Whether what makes this folder a checkout was put there by somebody else than its owner, the machine's, or us.

    Where everybody may write, anybody could else say what the work of all others below belongs to, and its rules.
    """
    dot_git = _owner(folder / ".git")
    maker = _owner(folder / "HEAD") if dot_git is None else dot_git
    return maker is not None and maker not in {_owner(folder), _ROOT, _us()}


def _us() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else _ROOT  # of a system without it every entry is that one's


def _owner(path: Path) -> int | None:
    """Who owns this very entry, which may be a link; ``None`` when it is not there."""
    try:
        return path.lstat().st_uid
    except OSError:
        return None
