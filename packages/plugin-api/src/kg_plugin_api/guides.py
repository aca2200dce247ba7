"""A guide: one text of working style, in neutral form, that a harness puts where its client looks for skills."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

GUIDE_MARK: Final = "kg-guide"
"""The key in a skill file's metadata that names the guide; by it a copy is known wherever it lies."""

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """One text, told to a model by ``description`` until the work calls for its ``body``.

    ``name`` is a slug of at most 64 characters, ``title`` a heading, ``description`` one line that says what the text
    is and when to use it, ``body`` Markdown without the heading that ends with a line break, ``version`` counts up
    with each change of the text. Raises ValueError for a name or a description in another form.
    """

    name: str
    title: str
    description: str
    body: str
    version: int

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or len(self.name) > _LONGEST_NAME:
            raise ValueError(f"{self.name!r} is not a guide's name: lower case letters, digits, single hyphens, <= 64")
        if not self.description.strip() or len(self.description.splitlines()) != 1:
            raise ValueError(f"the description of {self.name!r} is not one line")

    def skill(self) -> str:
        """The text of a ``SKILL.md``, the form of skills that agents share; the name of its folder is ``name``."""
        return (
            f"---\nname: {self.name}\ndescription: {json.dumps(self.description, ensure_ascii=False)}\n"
            f'metadata:\n  {GUIDE_MARK}: {self.name}\n  version: "{self.version}"\n---\n\n'
            f"# {self.title}\n\n{self.body}"
        )
