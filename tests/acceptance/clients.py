"""Where the real clients are on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

HOW: Final = "bash .ci/clients"
"""The one command that brings them."""

_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "claude": ("@anthropic-ai/claude-code-*/claude",),
    "codex": ("@openai/codex-*/vendor/*/bin/codex", "@openai/codex-*/vendor/*/codex/codex"),
    "copilot": ("@github/copilot-*/copilot",),
}
"""The programs themselves, inside the packages; the scripts in ``.bin`` would need Node on the path."""


def client(name: str) -> Path:
    """The program ``name``. Without it the test is skipped, or fails where the clients are required."""
    program = found(name)
    if program is None:
        missing = f"the real client `{name}` is not here; this brings it: {HOW}"
        if os.environ.get("KG_REQUIRE_CLIENTS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return program


def found(name: str) -> Path | None:
    """The program ``name``, if it is on this machine."""
    return _given(name) or _brought(name) or _on_path(name)


def _given(name: str) -> Path | None:
    given = os.environ.get(f"{name.upper()}_BIN")
    return Path(given) if given else None


def _brought(name: str) -> Path | None:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("KG_CLIENTS_DIR") or Path(cache) / "kg" / "clients")
    places = (place for pattern in _PLACES[name] for place in sorted((folder / "node_modules").glob(pattern)))
    return next(places, None)


def _on_path(name: str) -> Path | None:
    found = shutil.which(name)
    return Path(found) if found else None
