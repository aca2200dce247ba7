"""Recorded payloads: one JSON file an event, ``{"native", "carrier", "payload", "meta"}``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kg_plugin_api import Carrier, RawEvent

if TYPE_CHECKING:
    from pathlib import Path


def recordings(folder: Path) -> dict[str, RawEvent]:
    """Every recording in a folder, by file name without its ending.

    A recording whose carrier is ``mcp`` is the ``_meta`` of an ordinary tool call of the model.
    """
    found: dict[str, RawEvent] = {}
    for file in sorted(folder.glob("*.json")):
        kept = json.loads(file.read_text(encoding="utf-8"))
        found[file.stem] = RawEvent(
            native=kept["native"],
            carrier=Carrier(kept["carrier"]),
            payload=kept["payload"],
            meta=kept.get("meta", {}),
        )
    return found
