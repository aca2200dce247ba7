"""What each tool says of itself. A model reads all of this in every session: every word must earn its place."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

WITHOUT_EVENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "kg_read": (
            "CALL THIS FIRST in every session, with cwd, the absolute path of the project's folder: nothing of the "
            "memory comes by itself here."
        ),
        "kg_search": "Search with each new task, and with the file that you are about to change.",
        "kg_rules": "Call it before you change a file.",
    }
)
"""What is said besides, before the rest, to a client without hooks: it stands for what events would have brought."""

_BY_ITSELF: Final = " What must be kept for a file also comes by itself when you first read it."

DESCRIPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "kg_read": (
            "Read the shared memory. Without ids: the gists of all active lessons and the ids of archived ones, user "
            "and project level. With ids (several in one call): each lesson with its notes, touches, tags and edges. "
            "Reading an archived lesson brings it back. A long reply comes in parts: call again with more=true."
        ),
        "kg_search": (
            "Find lessons by words, on all levels and tiers, with the paths that connect them. Any text, any "
            "language, no operators. Use it before you assume, design, debug or save a lesson."
        ),
        "kg_put_node": (
            "Save a lesson the moment you have learned it, or change one. One lesson per node: the id names its "
            "subject, the gist makes the claim in one sentence that holds beyond this case, each note tells one case "
            "or reason. Search first and add your case to a lesson that exists. Lists left out stay as they are; "
            "lists that are sent replace the stored ones, so include what shall stay. A conclusion from other lessons "
            "names them in derived_from."
        ),
        "kg_put_edge": (
            "Relate a lesson to another one or to a file, instead of describing the other again. rel is a verb read "
            "from 'from' to 'to': guards, causes, contradicts, instance-of, implemented-in; supersedes retires the "
            "target, derived-from leads from a conclusion to what it rests on. Works across levels."
        ),
        "kg_rename_node": (
            "Give a lesson a better id. Its edges, also those of other projects, its votes and its history follow; "
            "deleting and saving it anew would lose them."
        ),
        "kg_delete_node": (
            "Delete a lesson that was never right or is a twin. One that no longer holds is better superseded "
            "(kg_put_edge) or set to status 'retracted', since the next agent may make the old mistake again."
        ),
        "kg_delete_edge": "Delete one relation.",
        "kg_useful": (
            "Say which lessons really helped in this session: that is what keeps them in sight. At the end of the "
            "work, about five at most; a lesson counts once per session, and once per subagent. A case that you add to "
            "another's lesson counts by itself."
        ),
        "kg_sync": (
            "List everything that other sessions and subagents changed since you last asked: lessons, edges, renames, "
            "deletions. News comes by itself with other replies; this is the complete list."
        ),
        "kg_progress": (
            "Keep where a long task stands, for a later session: what is done, what was decided against, what is "
            "next. With state: save. Without: read."
        ),
        "kg_rules": (
            "Read the rules that people wrote down for this code base, with their reasons. With path (a file that you "
            "mean to change) or component: what holds there. Without: what holds everywhere, and the components."
        ),
    }
)


def description(tool: str, *, has_events: bool) -> str:
    """What a tool says of itself to a client with or without events of its own."""
    text = DESCRIPTIONS[tool]
    if has_events:
        return text + (_BY_ITSELF if tool == "kg_rules" else "")
    return f"{WITHOUT_EVENTS[tool]} {text}" if tool in WITHOUT_EVENTS else text
