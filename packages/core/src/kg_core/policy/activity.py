"""When a lesson was last worked on, where its words came from elsewhere: an edit, an import, a restore."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from kg_core.model.limits import GIST_CHANGES
from kg_core.policy.score import changed_at

if TYPE_CHECKING:
    from kg_core.model import Change, Graph, Millis, Node, Use

_SAYS: Final = attrgetter(
    "gist", "notes", "touches", "tags", "status", "kind", "observer", "observed", "locked", "extra"
)
"""What a content version is of. Compared as it is, since an edit may change hundreds of lessons at a time."""


def worked_on(change: Change, before: Graph, at: Millis, by: str) -> Change:
    """The change of ``before``, and with it the use of each lesson that says something else now: it is as recent as
    what it says. A tool says so itself; content that comes from elsewhere does not.

    Words that name their write are as old as that; others are a person's, of ``at``. A lesson that is new counts from
    its creation, and a rewrite by maintenance, which leaves the author, leaves the time alone, too. ``by`` is whoever
    takes the words over; one that is put back by it keeps its author as well.
    """
    use: dict[str, Use | None] = {}
    for node_id, node in change.nodes.items():
        stored = before.nodes.get(node_id)
        if stored is not None and node is not None and _SAYS(node) != _SAYS(stored):
            known = change.use.get(node_id) or before.use_of(node_id)
            use[node_id] = _worked_on(known, stored, node, at, by)
    return replace(change, use={**change.use, **use}) if use else change


def _worked_on(use: Use, stored: Node, node: Node, at: Millis, by: str) -> Use:
    earlier = changed_at(stored, use)
    written = None if node.written == stored.written else node.written
    said = latest = at if written is None else written.at
    if written is not None and written.by not in {by, written.author}:
        latest = 1  # 0 would mean unknown, and the time of the write would count
    gists = use.gist_changes if node.gist == stored.gist else (*use.gist_changes, said)[-GIST_CHANGES:]
    return replace(use, activity_at=max(earlier, latest), gist_changes=gists)
