"""Guides as the skills of a plug-in of their own, beside the one whose hooks a person trusts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_harness_codex.folders import as_json, copied
from kg_harness_codex.names import SKILLS, SKILLS_ID, VERSION
from kg_plugin_api import Limit, TomlTable, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import Claim, Guide, Site

_TITLE: Final = "How to work with the memory that all coding agents on this machine share."


class CodexSkills:
    """The client lists the skills as ``kg-skills:NAME``, with the file that the model reads."""

    description: Final = Limit(1_024, Unit.BYTES)
    """What the client keeps of one skill in its list. Measured in ASCII, so bytes are on the safe side."""

    body: Final = Limit(9_000, Unit.BYTES)
    """A model reads a skill through the shell, whose output is cut at 10,000 bytes for a model that nobody knows."""

    def claims(self, guides: Sequence[Guide], site: Site) -> Sequence[Claim]:
        """The plug-in in our marketplace, its installed copy, and the table that turns it on."""
        described = {"name": SKILLS, "version": VERSION, "description": _TITLE, "skills": "./skills/"}
        files = {
            ".codex-plugin/plugin.json": as_json(described),
            **{f"skills/{guide.name}/SKILL.md": guide.skill() for guide in guides},
        }
        enabled = TomlTable(path=site.config / "config.toml", keys=("plugins", SKILLS_ID), values={"enabled": True})
        return (*copied(files, SKILLS, site), enabled)

    def elsewhere(self, site: Site) -> Sequence[Path]:
        """The user's own skills, and those that several agents share."""
        person = Path(site.environ.get("HOME", ""))
        shared = (person / ".agents" / "skills",) if person.is_absolute() else ()
        return (site.config / "skills", *shared)
