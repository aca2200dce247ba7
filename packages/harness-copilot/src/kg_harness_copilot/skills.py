"""Guides as skills in the user's own folder, with names that say whose they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_harness_copilot.names import TOOL_PREFIX
from kg_plugin_api import Limit, OwnedFile, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import Claim, Guide, Site


class CopilotSkills:
    """The client has no other place for the skills of a program that is no plug-in of it, and lists them by name."""

    description: Final = Limit(1_024, Unit.BYTES)
    """A skill whose description is longer is not listed at all. Measured in ASCII, so bytes are on the safe side."""

    body: Final = Limit(20_000, Unit.UTF16)
    """Our own measure: the client shows a body of any length whole."""

    def claims(self, guides: Sequence[Guide], site: Site) -> Sequence[Claim]:
        """One file each, as ``kg-NAME``."""
        named = [replace(guide, name=f"{TOOL_PREFIX}{guide.name}") for guide in guides]
        folder = site.config / "skills"
        return tuple(OwnedFile(path=folder / guide.name / "SKILL.md", text=guide.skill()) for guide in named)

    def elsewhere(self, site: Site) -> Sequence[Path]:
        """The skills that several agents share."""
        person = Path(site.environ.get("HOME", ""))
        return (person / ".agents" / "skills",) if person.is_absolute() else ()
