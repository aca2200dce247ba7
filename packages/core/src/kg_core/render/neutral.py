"""Stored text as it may be shown: one line that cannot pretend to be a line of ours."""

from __future__ import annotations

import re
from typing import Final

_BREAKS: Final = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"
_DROPPED: Final = (
    "\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # other control characters
    "\u202a-\u202e\u2066-\u2069\u206a-\u206f"  # bidi embeddings, overrides and isolates; deprecated format characters
    "\ufff9-\ufffb"  # interlinear annotation
    "\u00ad\u034f\u180e\u200b\u2060-\u2065\u3164\uffa0"  # letters and marks that show nothing in any script
    "\U000e0000-\U000e007f"  # tags: invisible letters
)
_VARIATION: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINERS: Final = "\u061c\u200c-\u200f\ufeff"
"""They show nothing themselves, but scripts and emoji need them, one at a time and between letters that join."""

_SUSPECT: Final = re.compile(f"[{_BREAKS}{_DROPPED}\ud800-\udfff]|[{_VARIATION}]{{2}}|[{_JOINERS}][{_JOINERS}\\w]")
_DROP: Final = re.compile(f"[{_DROPPED}]+")
_BREAK: Final = re.compile(f" *[{_BREAKS}][{_BREAKS} ]*")
_STYLED_TWICE: Final = re.compile(f"([{_VARIATION}])[{_VARIATION}]+")
_JOINED_TWICE: Final = re.compile(f"([{_JOINERS}])[{_JOINERS}]+")
_JOINED_FOR_NOTHING: Final = re.compile(f"(?<=[0-9A-Za-z])[{_JOINERS}](?=[0-9A-Za-z])")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    """``text`` as one line: line breaks and tabs become a space; control, bidi-override, tag and empty characters and
    runs of variation selectors or of joiners (which hide text) go; lone surrogates become U+FFFD.

    Emoji joiners, ZWNJ, a BOM, right-to-left text and its marks stay where they do something: not between two Latin
    letters or digits. Never longer than ``text`` in any unit, and applying it twice equals applying it once.
    """
    if text.isascii() and text.isprintable():
        return text
    if not _SUSPECT.search(text):
        return text
    text = _SURROGATE.sub("\ufffd", _DROP.sub("", text))
    text = _STYLED_TWICE.sub(r"\1", _BREAK.sub(" ", text).strip(" "))
    return _JOINED_FOR_NOTHING.sub("", _JOINED_TWICE.sub(r"\1", text))
