"""Whether a text shows anything: what nobody can see says nothing, whoever wrote it."""

from __future__ import annotations

import re
from typing import Final

_UNSEEN: Final = (
    "\\s\x00-\x1f\x7f-\x9f\ud800-\udfff"  # spaces, line breaks, controls, halves of surrogate pairs
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u2800"  # a Braille pattern without dots
)
"""The middle lines are what Unicode calls default-ignorable: joiners, direction marks, fillers, selectors, tags."""
_SEEN: Final = re.compile(f"[^{_UNSEEN}]")


def shows(text: str) -> bool:
    """Whether there is a visible character in it."""
    return _SEEN.search(text) is not None
