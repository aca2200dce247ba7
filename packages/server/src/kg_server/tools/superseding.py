"""What a ``supersedes`` edge may do, and what it says of itself when it cannot do that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model import SUPERSEDES, EndKind, end_kind
from kg_core.render import all_replacements, one_line
from kg_plugin_api import Code, KgError
from kg_server.tools.relations import spelled

if TYPE_CHECKING:
    from kg_core.model import EdgeKey, Graph

_MEAN_THE_SAME: Final = frozenset(
    spelled(rel)
    for rel in (
        *("superseded-by", "is-superseded-by", "replaces", "replaced-by", "is-replaced-by"),
        *("obsoletes", "obsoleted-by"),
    )
)
"""Relations by which a writer may mean that a lesson is to be retired."""


def refuse_rounds(graph: Graph, key: EdgeKey) -> None:
    """Raises REFUSED when lessons would supersede each other: then none of them would come up any more."""
    if key.rel == SUPERSEDES and key.target in all_replacements(graph, key.source):
        old, new = (one_line(end) for end in (key.source, key.target))
        raise KgError(
            Code.REFUSED,
            f"{new!r} supersedes {old!r} already, and neither would come up any more. Delete that edge if it is wrong.",
        )


def refuse_locked(graph: Graph, key: EdgeKey) -> None:
    """Raises REFUSED when the edge would retire a lesson that a person has locked: a lock keeps it in sight."""
    target = graph.nodes.get(key.target) if key.rel == SUPERSEDES and key.source in graph.nodes else None
    if target is not None and target.locked:
        raise KgError(
            Code.REFUSED, f"{one_line(target.id)!r} is locked by a person and was not retired. Tell the user."
        )


def unretired(key: EdgeKey) -> tuple[str, ...]:
    """A sentence on a lesson that an edge does not retire: one of another level, one that a file would supersede, or
    one whose edge only says so in other words.
    """
    if spelled(key.rel) in _MEAN_THE_SAME and end_kind(key.source) is end_kind(key.target) is EndKind.NODE:
        return (f"Note: this retires nothing. {SUPERSEDES} does, from the new lesson to the one that holds no more.",)
    within = end_kind(key.source) is end_kind(key.target) is EndKind.NODE
    if key.rel != SUPERSEDES or within or end_kind(key.target) is EndKind.PATH:
        return ()
    sentence = f"{one_line(key.target)!r} stays in sight: only a lesson of its own level retires it."
    return (f"{sentence} If it holds nowhere any more, give it the status 'superseded'.",)
