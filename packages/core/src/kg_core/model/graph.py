"""One level of memory as an immutable value. Applying a change costs the same at any size."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from immutables import Map

from kg_core.model.edge import USER_PREFIX, Edge, EdgeKey, EndKind, end_kind
from kg_core.model.ids import Folded, fold
from kg_core.model.use import UNUSED, Tier, Use

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.model.node import Node
    from kg_core.model.times import Millis

USER: Final = "user"
MAINTAIN: Final = "maintain"
PROJECT_PREFIX: Final = "project:"

AGEING: Final = "ageing"
"""Who takes lessons that have aged out of their graph: in the journal, and in their tombstones."""

GraphKey = str
"""``user``, ``maintain`` or ``project:<slug>``."""


def project_key(slug: str) -> GraphKey:
    """The key of a project's graph."""
    return PROJECT_PREFIX + slug


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A deletion: when and by whom. Keeps content written before it from coming back."""

    at: Millis
    by: str
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A task's saved state (JSON), when and by whom."""

    state: Mapping[str, object]
    at: Millis
    by: str
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Whole after-values for one graph; ``None`` removes. Applying it twice equals applying it once.

    ``renamed`` maps old ids to new ones, for those who follow changes; the values say all the rest.
    """

    graph: GraphKey
    nodes: Mapping[str, Node | None] = field(default_factory=lambda: MappingProxyType({}))
    use: Mapping[str, Use | None] = field(default_factory=lambda: MappingProxyType({}))
    edges: Mapping[EdgeKey, Edge | None] = field(default_factory=lambda: MappingProxyType({}))
    tombstones: Mapping[str, Tombstone | None] = field(default_factory=lambda: MappingProxyType({}))
    progress: Mapping[str, Progress | None] = field(default_factory=lambda: MappingProxyType({}))
    renamed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __bool__(self) -> bool:
        return any((self.nodes, self.use, self.edges, self.tombstones, self.progress, self.renamed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Nodes, edges, their use, tombstones and progress of one level.

    ``incident`` maps an end, as written, to the keys of its edges; ``folded`` maps a folded id to its spellings, of
    which files edited by hand may hold several; ``tiers`` maps each tier to its ids; ``locked`` holds the ids of locked
    nodes. All are kept up to date by :meth:`apply`.
    """

    key: GraphKey
    nodes: Map[str, Node] = field(default_factory=Map)
    use: Map[str, Use] = field(default_factory=Map)
    edges: Map[EdgeKey, Edge] = field(default_factory=Map)
    tombstones: Map[str, Tombstone] = field(default_factory=Map)
    progress: Map[str, Progress] = field(default_factory=Map)
    extra: Map[str, Any] = field(default_factory=Map)
    incident: Map[str, Map[EdgeKey, None]] = field(default_factory=Map)
    folded: Map[Folded, tuple[str, ...]] = field(default_factory=Map)
    tiers: Map[Tier, Map[str, None]] = field(default_factory=lambda: Map({tier: Map() for tier in Tier}))
    locked: Map[str, bool] = field(default_factory=Map)

    @classmethod
    def build(
        cls,
        key: GraphKey,
        *,
        nodes: Mapping[str, Node] = MappingProxyType({}),
        use: Mapping[str, Use] = MappingProxyType({}),
        edges: Mapping[EdgeKey, Edge] = MappingProxyType({}),
        tombstones: Mapping[str, Tombstone] = MappingProxyType({}),
        progress: Mapping[str, Progress] = MappingProxyType({}),
        extra: Mapping[str, object] = MappingProxyType({}),
    ) -> Graph:
        """A graph with this content."""
        empty = replace(cls(key=key), extra=Map(extra))
        return empty.apply(
            Change(graph=key, nodes=nodes, use=use, edges=edges, tombstones=tombstones, progress=progress)
        )

    def apply(self, change: Change) -> Graph:
        """This graph with the change made. Ends of edges need not exist: they may be dormant."""
        if change.graph != self.key:
            raise ValueError(f"a change of {change.graph} cannot be applied to {self.key}")
        use = _update(self.use, change.use)
        nodes = _update(self.nodes, change.nodes)
        folded = self.folded
        tiers = self.tiers
        for node_id in {*change.nodes, *change.use}:
            old, new = self.nodes.get(node_id), nodes.get(node_id)
            old_tier = self.use.get(node_id, UNUSED).tier if old is not None else None
            new_tier = use.get(node_id, UNUSED).tier if new is not None else None
            if old_tier is not new_tier:
                tiers = _moved(tiers, node_id, old_tier, new_tier)
            if (old is None) is not (new is None):
                folded = _respelled(folded, node_id, present=new is not None)
        return replace(
            self,
            nodes=nodes,
            use=use,
            edges=_update(self.edges, change.edges),
            tombstones=_update(self.tombstones, change.tombstones),
            progress=_update(self.progress, change.progress),
            incident=_incident(self.incident, change.edges),
            folded=folded,
            tiers=tiers,
            locked=_update(
                self.locked, {node_id: (node and node.locked) or None for node_id, node in change.nodes.items()}
            ),
        )

    def find(self, node_id: str) -> Node | None:
        """The node of this id or of another spelling of it."""
        node = self.nodes.get(node_id)
        if node is None:
            spellings = self.folded.get(fold(node_id))
            node = self.nodes[spellings[0]] if spellings else None
        return node

    def use_of(self, node_id: str) -> Use:
        """The use of a node; empty when nothing is known."""
        return self.use.get(node_id, UNUSED)

    def tier(self, node_id: str) -> Tier | None:
        """The tier of a node; ``None`` when there is no such node."""
        return self.use.get(node_id, UNUSED).tier if node_id in self.nodes else None

    def edges_of(self, end: str) -> list[Edge]:
        """The edges that start or end in ``end``, in key order."""
        return [self.edges[key] for key in sorted(self.incident.get(end, Map()))]

    def is_dormant(self, end: str, user: Graph | None) -> bool:
        """Whether ``end`` names nothing that exists. Without the user graph, ends in it count as existing."""
        match end_kind(end):
            case EndKind.PATH:
                return False
            case EndKind.USER:
                return user is not None and end.removeprefix(USER_PREFIX) not in user.nodes
            case EndKind.NODE:
                return end not in self.nodes


def _update(values: Map[Any, Any], changed: Mapping[Any, Any]) -> Map[Any, Any]:
    if not changed:
        return values
    mutation = values.mutate()
    for key, value in changed.items():
        if value is not None:
            mutation[key] = value
        elif key in mutation:
            del mutation[key]
    return mutation.finish()


def _respelled(folded: Map[Folded, tuple[str, ...]], node_id: str, *, present: bool) -> Map[Folded, tuple[str, ...]]:
    key = fold(node_id)
    others = tuple(known for known in folded.get(key, ()) if known != node_id)
    spellings = tuple(sorted((*others, node_id))) if present else others
    return folded.set(key, spellings) if spellings else folded.delete(key)


def _moved(
    tiers: Map[Tier, Map[str, None]], node_id: str, old: Tier | None, new: Tier | None
) -> Map[Tier, Map[str, None]]:
    if old is not None:
        tiers = tiers.set(old, tiers[old].delete(node_id))
    if new is not None:
        tiers = tiers.set(new, tiers[new].set(node_id, None))
    return tiers


def _incident(
    incident: Map[str, Map[EdgeKey, None]], changed: Mapping[EdgeKey, Edge | None]
) -> Map[str, Map[EdgeKey, None]]:
    if not changed:
        return incident
    mutation = incident.mutate()
    for key, edge in changed.items():
        for end in {key.source, key.target}:
            keys = mutation.get(end, Map())
            if edge is not None:
                mutation[end] = keys.set(key, None)
            elif key in keys:
                rest = keys.delete(key)
                if rest:
                    mutation[end] = rest
                else:
                    del mutation[end]
    return mutation.finish()
