"""A loaded graph and what the store knows of its files. All of it is touched on the event loop only."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from immutables import Map

from kg_core.model.odd import MOST_ODD, is_odd, told
from kg_core.store.sheet import Touched

if TYPE_CHECKING:
    from kg_core.model import Change, Graph, GraphKey
    from kg_core.model.odd import OddKey
    from kg_core.store.files import Identity
    from kg_core.store.sheet import Sheet


@dataclass(slots=True, kw_only=True)
class Held:
    """``pending`` includes writes that are on their way to the disk, ``durable`` only what is there.

    ``base`` is the content that we and the file started from; ``content`` is the SHA-256 of the file that holds it, and
    ``identity`` that file's. The files hold everything up to the sequence ``written``; ``changed`` is the last one that
    concerns them. ``extra`` are the unknown keys of the file.
    """

    key: GraphKey
    pending: Graph
    durable: Graph
    base: Graph
    content: str
    identity: Identity | None
    written: int
    changed: int
    extra: Map[str, Any] = field(default_factory=Map)
    read_only: str = ""
    """Why the graph cannot be written, or empty."""
    is_marked: bool = False
    """Whether the journal names the file that our entries build on."""
    must_write: bool = False
    """Whether the file must be written although no entry says so: it was damaged, missing or edited."""
    underway: tuple[str, Graph] | None = None
    """Content and graph of a snapshot that may have taken the file's place without our knowing."""
    conflicts: set[str] = field(default_factory=set)
    """Nodes that hold what a merge set aside, by whichever way it came."""
    odd: set[OddKey] = field(default_factory=set)
    """Nodes and edges that had a field without meaning when the file was read."""
    sheet: Sheet | None = None
    touched: Touched = field(default_factory=Touched)

    @property
    def is_dirty(self) -> bool:
        """Whether the files lag behind."""
        return not self.read_only and (self.must_write or self.changed > self.written)

    def advance(self, graph: Graph, changes: tuple[Change, ...], sequence: int) -> None:
        """Takes over what has become durable."""
        self.durable = graph
        self.changed = sequence
        for change in changes:
            if change.graph == self.key:
                self.touched.add(change)
                self.look(change)

    def open_conflicts(self) -> set[str]:
        """Those of ``conflicts`` that no write has closed."""
        nodes = self.durable.nodes
        self.conflicts = {node_id for node_id in self.conflicts if node_id in nodes and nodes[node_id].conflicts}
        return self.conflicts

    def look(self, change: Change) -> None:
        """Notes what is odd or set aside in a change: one that takes over what others wrote may hold anything."""
        self.conflicts.update(node_id for node_id, node in change.nodes.items() if node is not None and node.conflicts)
        for values in (change.nodes, change.edges):
            odd = (key for key, value in values.items() if value is not None and is_odd(value))
            self.odd.update(islice(odd, max(0, MOST_ODD - len(self.odd))))

    def oddities(self) -> list[str]:
        """What is still odd about those of ``odd``, in words."""
        found = {key: told(self.durable, key) for key in sorted(self.odd, key=str)}
        self.odd = {key for key, words in found.items() if words}
        return [word for words in found.values() for word in words]

    def take_touched(self) -> Touched:
        """What was touched since the last call."""
        touched, self.touched = self.touched, Touched()
        return touched
