"""The client's switch for all hooks, of plug-ins too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError, StepState, StepStatus

if TYPE_CHECKING:
    from pathlib import Path

    from kg_plugin_api import Site

_SWITCH: Final = "disableAllHooks"


class HooksStep:
    """Says where a person has turned all hooks off. kg never turns them on: other hooks would run again as well."""

    name: Final = "hooks"
    title: Final = "Let Claude Code run hooks"
    explanation: Final = (
        f"Until you take `{_SWITCH}` out there, no lesson comes by itself; the agent has the tools of kg all the same."
    )
    needs_consent: Final = False

    def status(self, site: Site) -> StepStatus:
        """Whether the user's settings turn them off. Settings that cannot be read are told of elsewhere."""
        settings = site.config / "settings.json"
        if not _turned_off(settings):
            return StepStatus(state=StepState.DONE, sentence="no setting of yours turns them off.")
        sentence = f"It runs none at all: `{_SWITCH}` is true in {settings}."
        return StepStatus(state=StepState.OPEN, sentence=sentence)

    def take(self, site: Site) -> None:
        """Leaves it to the person. Raises REFUSED while they are off."""
        if self.status(site).state is not StepState.DONE:
            raise KgError(Code.REFUSED, "That is yours to decide.")

    def undo(self, site: Site) -> None:
        """Nothing was done."""


def _turned_off(settings: Path) -> bool:
    try:
        found = json.loads(settings.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get(_SWITCH) is True
