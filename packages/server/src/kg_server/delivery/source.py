"""What every source of injected text is: blocks offered for an event, seen through one view."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from kg_plugin_api import Limit, SearchResults, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.model import Graph, GraphKey, Millis
    from kg_core.render.block import Block
    from kg_core.store import Entry, Problem
    from kg_plugin_api import Event, Harness
    from kg_server.contexts import Context, Ledger

WHOLE: Final = Limit(1_000_000, Unit.CHARACTERS)
"""What may be filled where the client takes everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a source may look at: durable graphs, and what the context knows, texts on their way included.

    ``entries`` are the journal entries since the oldest one not announced, ``None`` when they are no longer kept.
    ``room`` is what the source may fill.
    """

    harness: Harness
    context: Context
    known: Ledger
    graphs: tuple[Graph, ...]
    """The levels of the context, the user's first."""
    sequence: int
    entries: tuple[Entry, ...] | None
    now: Millis
    room: Limit = WHOLE
    results: SearchResults = field(default_factory=SearchResults)
    problems: tuple[Problem, ...] = ()

    @property
    def user(self) -> Graph:
        """The user's graph."""
        return self.graphs[0]

    @property
    def project(self) -> Graph | None:
        """The project's graph, if there is one."""
        return self.graphs[1] if len(self.graphs) > 1 else None

    @property
    def is_introduced(self) -> bool:
        """Whether the model has been given its memory, or is about to be."""
        return self.known.is_introduced_to(self.context.graphs)

    def graph(self, key: GraphKey) -> Graph | None:
        """The level of this key, if the context has it."""
        return next((graph for graph in self.graphs if graph.key == key), None)


class ContextSource(Protocol):
    """Offers text for an event. Pure: fitting and marking happen once, outside."""

    def blocks(self, event: Event, view: View) -> Sequence[Block]:
        """What is worth saying now, in order; mostly nothing."""
        ...
