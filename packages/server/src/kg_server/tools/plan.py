"""What a tool decides, as a value: one executor checks it, commits it, renders it and marks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic

from kg_core.policy.lookalikes import Lookalikes
from kg_core.render.block import Block
from kg_core.store import MapState
from kg_plugin_api import SearchResults
from kg_server.tools.arguments import A

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kg_core.model import Change, Graph, GraphKey, Millis
    from kg_core.model.steps import Steps
    from kg_core.render.block import Mark
    from kg_core.store import Entry
    from kg_plugin_api import Harness, Limit, SearchRequest
    from kg_server.contexts import Context, Ledger
    from kg_server.tools.levels import Levels


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The outcome of one call.

    ``blocks`` is the reply. ``marks`` come true when all of it has arrived, beside those of the blocks themselves;
    ``learned`` when the changes are durable, for what a context knows because it wrote it. ``incidental`` changes
    (stamps of a read) do not spoil the reply when the disk refuses them. ``paged`` replies are handed out in parts of
    the read limit; ``more`` asks for the next part of an earlier one.
    """

    changes: tuple[Change, ...] = ()
    blocks: tuple[Block, ...] = ()
    marks: tuple[Mark, ...] = ()
    learned: tuple[Mark, ...] = ()
    is_error: bool = False
    incidental: bool = False
    paged: bool = False
    more: bool = False


def _nowhere(path: str) -> str:
    del path
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a tool may look at.

    ``pending`` holds the graphs as the next write meets them, ``durable`` as readers may see them; ``lookalikes`` know
    the words of the durable ones. ``known`` is what has arrived in the context; ``loaded`` are other projects' pending
    graphs that the tool asked for; ``entries`` are the journal entries since the context's last kg_sync for a tool that
    looks back, ``None`` when they are gone. ``room`` is what the client lets through of a reply that is not paged.
    ``map`` is in force where the context works, and ``place`` says where in it a path is, empty for one that lies
    elsewhere. ``project_of`` names the project of a folder, empty where only the user's memory applies.
    """

    context: Context
    known: Ledger
    pending: Levels
    durable: Levels
    harness: Harness
    now: Millis
    sequence: int
    entries: tuple[Entry, ...] | None = ()
    results: SearchResults = field(default_factory=SearchResults)
    lookalikes: Lookalikes = field(default_factory=Lookalikes)
    loaded: Mapping[GraphKey, Graph] = field(default_factory=lambda: MappingProxyType({}))
    map: MapState = field(default_factory=MapState)
    place: Callable[[str], str] = _nowhere
    project_of: Callable[[str], GraphKey] = _nowhere
    room: Limit | None = None

    @property
    def by(self) -> str:
        """Who writes: the context's id."""
        return self.context.id

    def tool(self, name: str) -> str:
        """A tool's name as this client shows it to the model."""
        return self.harness.tool_prefix + name


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[A]):
    """One tool: its arguments, its decision, and what must be at hand before it can decide.

    ``steps`` is the decision of ``plan`` in small steps, for a tool that may have to look through all of memory. Others
    have their turn in between, so it yields only where it changes nothing.

    ``texts`` are the arguments that it stores, ``names`` those that it stores as ids or relations: both come without
    secrets. ``question`` asks the search index first; ``graphs`` names other graphs to load first; ``looks_back`` tools
    are given the journal entries since the last kg_sync; for those that ``reads_rules`` the map's files are looked at.
    """

    name: str
    title: str
    arguments: type[A]
    plan: Callable[[A, Call], Plan]
    steps: Callable[[A, Call], Steps[Plan]] | None = None
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    question: Callable[[A, Call], SearchRequest] | None = None
    graphs: Callable[[A, Call], tuple[GraphKey, ...]] | None = None
    looks_back: bool = False
    reads_rules: bool = False
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = True


def said(*lines: str, is_error: bool = False) -> Plan:
    """A plan that changes nothing and says these lines."""
    return Plan(blocks=(Block(text="\n".join(lines)),), is_error=is_error)
