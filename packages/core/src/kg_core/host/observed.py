"""What of an event is handed to plug-ins that only observe it: its texts without secrets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kg_core.policy.secrets import scrub

if TYPE_CHECKING:
    from kg_plugin_api import Event

LONGEST: Final = 20_000
"""Characters of a text that is handed out. Looking through a longer one would hold up everybody."""


def without_secrets(event: Event) -> Event:
    """The event with each secret in the prompt and the tool's command replaced, and without such a text where it is
    longer than :data:`LONGEST`; the very event when nothing changes. Paths and ids stay as they are.
    """
    prompt, tool = _scrubbed(event.prompt), event.tool
    if tool is not None and (command := _scrubbed(tool.command)) != tool.command:
        tool = replace(tool, command=command)
    return event if prompt == event.prompt and tool is event.tool else replace(event, prompt=prompt, tool=tool)


def _scrubbed(text: str) -> str:
    return scrub(text).text if len(text) <= LONGEST else ""
