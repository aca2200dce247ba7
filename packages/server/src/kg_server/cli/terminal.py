"""Text on its way to a person's terminal: names and contents that others made up command no terminal there."""

from __future__ import annotations

import io
import re
from typing import Final

_COMMANDING: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for line feed and tab
    "\u2028-\u202e\u2066-\u206f"  # line separators, bidi embeddings, overrides and isolates
    "\ufff9-\ufffb\U000e0000-\U000e007f]"  # interlinear annotation, tags: letters that nobody sees
)


def tame(text: str) -> str:
    r"""``text`` with each character escaped that a terminal obeys instead of showing it, in JSON's way: ``\u001b``.

    Within a string of JSON, the escape means the character itself.
    """
    return _COMMANDING.sub(_escaped, text)


def in_line(text: object) -> str:
    """What ``text`` says, on one line: the name of a folder may break one, and begin the next as we would."""
    return " ".join(str(text).splitlines())


class Tame(io.TextIOWrapper):
    """A text stream that writes what is tame."""

    def write(self, text: str, /) -> int:
        """Writes ``text``; the number of its characters."""
        super().write(tame(text))
        return len(text)


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
