"""The agent's events that kg listens to. Timeouts are in seconds."""

from __future__ import annotations

from typing import Final

from kg_plugin_api import Carrier, EventKind, EventSpec

EVENTS: Final[tuple[EventSpec, ...]] = (
    EventSpec(
        native="SessionStart",
        kind=EventKind.SESSION_START,
        carrier=Carrier.HOOK_CLIENT,
        timeout=5,
    ),
    EventSpec(
        native="UserPrompt",
        kind=EventKind.PROMPT,
        carrier=Carrier.HOOK_CLIENT,
        timeout=3,
    ),
    EventSpec(
        native="AfterTool",
        kind=EventKind.AFTER_TOOL,
        carrier=Carrier.HOOK_CLIENT,
        timeout=2,
    ),
    # What the agent reads of a reply to this event never reaches the model.
    EventSpec(
        native="SessionEnd",
        kind=EventKind.SESSION_END,
        carrier=Carrier.HOOK_CLIENT,
        timeout=1,
        injects=False,
    ),
)
