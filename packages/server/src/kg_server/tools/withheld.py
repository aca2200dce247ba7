"""What is said of a write into a lesson that is brought to nobody: its writer may think that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.model import Status
from kg_core.render import one_line, replacements

if TYPE_CHECKING:
    from kg_core.model import Graph, Node


def withheld(graph: Graph, node: Node) -> tuple[str, ...]:
    """A sentence on the status of ``node``, or on what supersedes it in ``graph``; none of a lesson that holds."""
    newer = ", ".join(repr(one_line(found)) for found in replacements(graph, node.id))
    match node.status:
        case Status.CURRENT if not newer:
            return ()
        case Status.CURRENT:
            sentence = (
                f"Note: it is superseded by {newer}, so nobody is shown it unasked. Write there what holds now; "
                "if this one holds again, take that edge away with kg_delete_edge."
            )
        case Status.SUPERSEDED:
            sentence = "Note: its status is 'superseded', so nobody is shown it unasked; status='current' changes that."
        case _:
            sentence = (
                f"Note: its status is '{node.status}': only a kg_search with statuses finds it, until it is saved with "
                "status='current'."
            )
    return (sentence,)
