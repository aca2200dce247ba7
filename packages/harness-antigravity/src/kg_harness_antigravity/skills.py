"""Guides as skills of our plug-in folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_harness_antigravity.names import installed
from kg_plugin_api import Limit, OwnedFile, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kg_plugin_api import Claim, Guide, Site


class AntigravitySkills:
    """The client finds the skills of a plug-in by their place."""

    description: Final = Limit(1_000, Unit.BYTES)
    """Our own measure: how much of a description the client lists is not known."""

    body: Final = Limit(20_000, Unit.BYTES)
    """The client is said to read the first 24,000 bytes of a skill, its head included."""

    def claims(self, guides: Sequence[Guide], site: Site) -> Sequence[Claim]:
        """One file each."""
        folder = installed(site) / "skills"
        return tuple(OwnedFile(path=folder / guide.name / "SKILL.md", text=guide.skill()) for guide in guides)

    def elsewhere(self, site: Site) -> Sequence[Path]:
        """No place of the user's own skills is known."""
        return ()
