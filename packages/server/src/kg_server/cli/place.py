"""Where a command is run."""

from __future__ import annotations

import os
from pathlib import Path


def working_folder() -> Path:
    """The folder that the shell stands in. One that was deleted counts as what it was; a memory outlives its folder."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        told = Path(os.environ.get("PWD", ""))
        return told if told.is_absolute() else Path(os.sep)
