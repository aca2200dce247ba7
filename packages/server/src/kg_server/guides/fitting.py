"""Cuts a guide to what a client shows."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_plugin_api import Guide, Limit

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_SPACE: Final = re.compile(r"\s+")
_MORE: Final = " …"
_SHORTENED: Final = "\n(Shortened: your client shows no more.)\n"


def fitted(guide: Guide, description: Limit, body: Limit) -> Guide:
    """The guide within both limits, itself where it holds them.

    A description keeps whole sentences, else whole words; a body keeps whole lines and says that it was cut.
    """
    return replace(guide, description=_description(guide.description, description), body=_body(guide.body, body))


def _description(text: str, limit: Limit) -> str:
    if limit.holds(text):
        return text
    return (
        _longest(_SENTENCE.split(text), " ", "", limit)
        or _longest(_SPACE.split(text), " ", _MORE, limit)
        or _longest(text, "", "", limit)
    )


def _body(text: str, limit: Limit) -> str:
    if limit.holds(text):
        return text
    return _longest(text.splitlines(), "\n", _SHORTENED, limit) or _SHORTENED.lstrip()


def _longest(pieces: Sequence[str], glue: str, end: str, limit: Limit) -> str:
    """As many of the first pieces as fit together with ``end``; nothing when not even one does."""
    longest = ""
    for beginning in accumulate(pieces, lambda left, right: f"{left}{glue}{right}"):
        if not limit.holds(f"{beginning}{end}"):
            break
        longest = f"{beginning}{end}"
    return longest
