"""Gists into which the markup of a tool call has run: a model closed its argument in the wrong dialect."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

_NAMES: Final = "id|gist|notes|touches|tags|status|level|session_id"
_PREFIX: Final = r"(?:[A-Za-z]+:)?"
_RUN_IN: Final = re.compile(
    rf"""(?<!`)(?:["']\s*/?>\s*)?(?:"""
    rf"""</{_PREFIX}(?:gist|parameter|invoke|arg_value)>\s*(?=$|[<\[])"""
    rf"""|<{_PREFIX}parameter\s+name=["'](?:{_NAMES})["']"""
    rf"""|<{_PREFIX}invoke\s+name=["']"""
    rf"""|<(?:notes|touches)>\s*\[)"""
)
"""Where markup begins, by signatures that no sentence has: a mention of a tag within a sentence is none."""
_LIST: Final = re.compile(
    rf"""<(?:{_PREFIX}parameter\s+name=["'])?(?P<name>notes|touches)["']?[^<>]{{0,80}}>\s*(?=\[)"""
)


class Healed(NamedTuple):
    """A gist without markup, and the lists that had run into it."""

    gist: str
    notes: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    is_changed: bool = False


def heal(gist: str) -> Healed:
    """Cuts the gist where markup begins. One that is nothing but markup stays as it is. Idempotent and linear."""
    match = _RUN_IN.search(gist)
    claim = gist[: match.start()].strip() if match is not None else ""
    if match is None or not claim:
        return Healed(gist)
    lists = {found["name"]: _texts(gist, found.end()) for found in _LIST.finditer(gist, match.start())}
    return Healed(claim, lists.get("notes", ()), lists.get("touches", ()), is_changed=True)


def _texts(text: str, start: int) -> tuple[str, ...]:
    """The JSON list of texts that begins at ``start``; empty when it is none."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return ()
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
