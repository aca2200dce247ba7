"""Content as the tools accept it: limits, single lines, and remarks on what could be better."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kg_core.model.ids import advice
from kg_core.model.limits import (
    GIST_HARD,
    GIST_SOFT,
    NOTE_LENGTH,
    NOTES,
    TAG_LENGTH,
    TAGS,
    TOUCH_LENGTH,
    TOUCHES,
    VIEW_LENGTH,
)
from kg_core.model.visible import shows
from kg_core.render import one_line
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


def single_line(text: str) -> str:
    """``text`` on one line, without the space around it."""
    return " ".join(line for piece in _LINE_BREAKS.split(text) if (line := piece.strip()))


def checked_gist(text: str) -> str:
    """The gist as it is stored. Raises INVALID when it shows nothing, TOO_LARGE beyond the hard limit."""
    gist = single_line(text)
    if not shows(gist):
        wrong = "has no visible character" if gist else "is empty"
        raise KgError(Code.INVALID, f"The gist {wrong}. State the lesson's claim in one sentence.")
    if len(gist) > GIST_HARD:
        raise KgError(
            Code.TOO_LARGE,
            f"The gist has {len(gist)} characters; at most {GIST_HARD} are kept. "
            "State the claim in one sentence and move cases and reasons into notes.",
            {"length": len(gist), "limit": GIST_HARD},
        )
    return gist


def checked_notes(notes: Sequence[str]) -> tuple[str, ...]:
    """Notes as they are stored: without those that show nothing, and without repetitions."""
    return _checked("notes", notes, NOTES, NOTE_LENGTH)


def as_stored(sent: Sequence[str], stored: Sequence[str]) -> tuple[str, ...]:
    """``sent`` with each text that is a stored one as it was shown, on one line, as it is stored."""
    known = set(stored)
    if known.issuperset(sent):
        return tuple(sent)
    shown = {one_line(text): text for text in reversed(stored)}
    return tuple(dict.fromkeys(text if text in known else shown.get(text, text) for text in sent))


def missing(stored: Sequence[str], sent: Sequence[str]) -> tuple[str, ...]:
    """The stored texts that are gone with ``sent`` in their place; other line breaks take nothing away."""
    if set(stored) <= set(sent):
        return ()
    shown = {one_line(text) for text in sent}
    return tuple(text for text in stored if one_line(text) not in shown)


def checked_touches(touches: Sequence[str]) -> tuple[str, ...]:
    """File pointers as they are stored."""
    return _checked("touches", [single_line(touch) for touch in touches], TOUCHES, TOUCH_LENGTH)


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as they are stored."""
    return _checked("tags", [single_line(tag) for tag in tags], TAGS, TAG_LENGTH)


def checked_view(name: str, text: str) -> str:
    """Whose view a lesson is, or of whom, as it is stored; empty for nobody's."""
    view = line if shows(line := single_line(text)) else ""
    if len(view) > VIEW_LENGTH:
        raise KgError(
            Code.TOO_LARGE,
            f"The {name} has {len(view)} characters; at most {VIEW_LENGTH} are kept. Name somebody, or a role.",
            {"length": len(view), "limit": VIEW_LENGTH},
        )
    return view


def remarks(node_id: str, gist: str, *, is_new: bool) -> list[str]:
    """What could be better about an id or a gist that was saved all the same."""
    found = []
    if len(gist) > GIST_SOFT:
        found.append(f"the gist has {len(gist)} characters; {GIST_SOFT} are easier to recall, with the rest in notes")
    if is_new and (remark := advice(node_id)):
        found.append(remark)
    return found


def _checked(name: str, texts: Sequence[str], most: int, longest: int) -> tuple[str, ...]:
    kept = tuple(dict.fromkeys(stripped for text in texts if shows(stripped := text.strip())))
    if len(kept) > most:
        raise KgError(
            Code.TOO_LARGE,
            f"There are {len(kept)} {name}; at most {most} are kept. Fold what says the same, or split the lesson.",
            {"count": len(kept), "limit": most},
        )
    for position, text in enumerate(kept, start=1):
        if len(text) > longest:
            raise KgError(
                Code.TOO_LARGE,
                f"Number {position} of the {name} has {len(text)} characters; at most {longest} are kept.",
                {"length": len(text), "limit": longest},
            )
    return kept
