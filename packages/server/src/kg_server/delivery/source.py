"""What every source of injected text is: blocks offered for an event, seen through one view."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from kg_core.store import MapState
from kg_plugin_api import Limit, SearchResults, Unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kg_core.model import Graph, GraphKey, Millis
    from kg_core.policy import Decision, FileUse, Prospects, TouchIndex
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
    ``room`` is what the source may fill. ``map`` is in force where the context works; ``files`` are those of the
    project that the event's tool names, relative to their work tree. ``uses`` are the files that a tool has read or
    edited, and ``touches`` the pointers of the levels to files. ``prospects`` are what a preload chooses from, found
    before in small steps; ``None`` where none was due.
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
    map: MapState = field(default_factory=MapState)
    files: tuple[str, ...] = ()
    uses: tuple[FileUse, ...] = ()
    touches: Mapping[GraphKey, TouchIndex] = field(default_factory=lambda: MappingProxyType({}))
    prospects: Prospects | None = None

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

    @property
    def in_view(self) -> InView:
        """The nodes whose gist, as it stands, is in front of the model or on its way there."""
        return InView(self)

    def graph(self, key: GraphKey) -> Graph | None:
        """The level of this key, if the context has it."""
        return next((graph for graph in self.graphs if graph.key == key), None)


@dataclass(frozen=True, slots=True)
class InView:
    """Places of nodes, as a container that looks only at those asked for."""

    view: View

    def __contains__(self, place: object) -> bool:
        match place:
            case (str(key), str(node_id)):
                graph = self.view.graph(key)
                node = graph.nodes.get(node_id) if graph is not None else None
                return node is not None and self.view.known.has_viewed(key, node)
            case _:
                return False


class ContextSource(Protocol):
    """Offers text for an event. Pure: fitting and marking happen once, outside."""

    def blocks(self, event: Event, view: View) -> Sequence[Block]:
        """What is worth saying now, in order; mostly nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a source of recall has to say, and why it says so or is silent.

    ``decision`` goes into the recall log; ``None`` when the event is none of the source's business. What it counts as
    shown has a mark of the same graph and id in ``blocks``, so that the log can tell what had no room.
    """

    blocks: tuple[Block, ...] = ()
    decision: Decision | None = None


class RecallSource(Protocol):
    """Brings lessons or rules to mind that an event is about, and accounts for it. Pure like any source."""

    def offer(self, event: Event, view: View) -> Offer:
        """What is worth saying now, mostly nothing, and why."""
        ...
