"""What every subject of the benchmark does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from kg_core.model import Status
from kg_core.render import standing

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dataset import Key, Question
    from kg_core.model import Graph, Node

DEPTH: Final = 10
"""So many nodes of a ranking are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a subject answers: at most ``DEPTH`` nodes, best first; what it would inject unasked, and as how many
    characters. A subject without a hook injects nothing.
    """

    ranked: tuple[Key, ...]
    injected: tuple[Key, ...] = ()
    characters: int = 0


class Subject(Protocol):
    """A way to search over all graphs of the set. It is made once and answers one question after the other."""

    title: str
    has_hook: bool

    def ask(self, question: Question) -> Answer:
        """Answers a question over the graphs that it may see. Deterministic."""
        ...


class Reminder(Subject, Protocol):
    """One that speaks up by itself, and knows what it has said."""

    def ask(self, question: Question, known: Collection[Key] = ()) -> Answer:
        """As :meth:`Subject.ask`, while the nodes in ``known`` are in front of the model already."""
        ...


def searched(graphs: Mapping[str, Graph], question: Question) -> dict[Key, Node]:
    """The nodes in the asker's sight that a search may return, in order: neither proposed nor retracted ones."""
    shown = {Status.CURRENT, Status.SUPERSEDED}
    return {
        (key, node_id): node
        for key in question.graphs
        for node_id, node in sorted(graphs[key].nodes.items())
        if standing(graphs[key], node_id) in shown
    }


def text_of(node: Node) -> str:
    """All that is written in a node."""
    return "\n".join((node.id, node.gist, *node.notes, *node.tags, *node.touches))
