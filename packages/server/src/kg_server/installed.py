"""The plug-ins that this memory uses: those installed, less those its settings switch off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.host import Plugins
from kg_core.store import Settings

if TYPE_CHECKING:
    from kg_core.store import Home


def plugins_of(home: Home) -> Plugins:
    """The plug-ins for the memory at ``home``. Raises INVALID when its settings cannot be read."""
    return Plugins.load(disabled=Settings.load(home).plugins.disabled)
