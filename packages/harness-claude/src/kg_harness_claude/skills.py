"""Guides as skills of our plug-in folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_harness_claude.names import PLUGIN
from kg_plugin_api import Limit, OwnedFile, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kg_plugin_api import Claim, Guide, Site


class ClaudeSkills:
    """The client finds the skills of a plug-in by their place and lists them as ``kg:NAME``."""

    description: Final = Limit(1_536, Unit.UTF16)
    """What the client keeps of one skill in its list."""

    body: Final = Limit(20_000, Unit.UTF16)
    """Our own measure: the client shows a body of any length whole, and from then on with every request."""

    def claims(self, guides: Sequence[Guide], site: Site) -> Sequence[Claim]:
        """One file each."""
        folder = site.own / PLUGIN / "skills"
        return tuple(OwnedFile(path=folder / guide.name / "SKILL.md", text=guide.skill()) for guide in guides)

    def elsewhere(self, site: Site) -> Sequence[Path]:
        """The user's own skills."""
        return (site.config / "skills",)
