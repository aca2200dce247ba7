"""Taking over what somebody offers, as far as it is not already here: pure, and losing nothing of ours.

An import, a restore and a team's exchange copy all *offer* content: what they do not name says nothing. So each is a
three-way merge over exactly what the offer names, and they differ in what counts as the common base.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from kg_core.model import Change, EndKind, Graph, Written, end_kind
from kg_core.model.merge import Part, merge_part
from kg_core.policy.ageing import has_aged

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kg_core.model import Edge, Millis, Node, Use

_PART: Final = 64 << 10
"""Characters of a part of an offer, about."""


class Outcome(StrEnum):
    """What became of an offered node."""

    ADDED = "added"
    UPDATED = "updated"
    SAME = "same"
    """It is here already, as offered or as it was continued here."""
    CONFLICT = "conflict"
    """It is here with other content; both are kept, the next write of the node decides."""
    FORGOTTEN = "forgotten"
    """It was deleted here after it was written, and stays deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What makes ours the outcome, what became of every offered node, and the edges that are new or fuller."""

    change: Change
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    edges: int = 0
    dormant: tuple[str, ...] = ()
    """Offered edges, as text, that were left out because one of their ends names nothing here."""
    offered: Mapping[str, str] = field(default_factory=dict)
    """The version of every node and edge that was offered, for the next time."""


def imported(ours: Graph, offer: Graph, user: Graph | None, known: Mapping[str, str]) -> Taken:
    """Takes over an import. ``known`` is what an earlier import from this source has :attr:`Taken.offered`.

    What the source changed since then is taken when it was left alone here; what both changed is a conflict. What was
    removed here meanwhile stays removed.
    """
    offer = _respelled(ours, offer, user)
    base: dict[str, Node] = {}
    nodes: dict[str, Node] = {}
    for node_id, node in offer.nodes.items():
        mine, version = ours.nodes.get(node_id), known.get(node_id)
        nodes[node_id] = node
        if mine is not None and (mine.version == node.version or _holds(mine, node)):
            nodes[node_id] = base[node_id] = mine
        elif version == node.version:
            base[node_id] = node
        elif mine is not None and version == mine.version:
            base[node_id] = mine
    news = {key: edge for key, edge in offer.edges.items() if known.get(_name(edge)) != _version(edge)}
    theirs = Graph.build(ours.key, nodes=nodes, use=_of_new(ours, offer), edges=news, progress=offer.progress)
    taken = _taken(Graph.build(ours.key, nodes=base), ours, theirs, user)
    return replace(
        taken,
        offered={
            **{node_id: node.version for node_id, node in offer.nodes.items()},
            **{name: _version(edge) for edge in offer.edges.values() if (name := _name(edge)) not in taken.dormant},
        },
    )


def restored(
    ours: Graph, offer: Graph, user: Graph | None, *, at: Millis, by: str, deleted: frozenset[str] = frozenset()
) -> Taken:
    """Puts content back as it was: what differs here is replaced, what was added here since stays.

    What comes back is stamped with ``at`` and ``by``, so that older copies elsewhere do not take its place again; with
    a later time where the clock was set back since.
    What was deleted stays so, but for the ids in ``deleted``.
    """
    offer = _respelled(ours, offer, user)
    lifted = {node_id for node_id in deleted if node_id in ours.tombstones and node_id in offer.nodes}
    nodes: dict[str, Node] = {}
    for node_id, node in offer.nodes.items():
        mine = ours.nodes.get(node_id)
        if mine is not None and mine.version == node.version:
            nodes[node_id] = mine
        elif mine is None and node_id in ours.tombstones and node_id not in lifted and not _is_later(ours, node):
            continue
        else:
            author = node.written.author if node.written is not None else by
            written = Written(at=max(at, _replaced(ours, node_id) + 1), by=by, author=author)
            nodes[node_id] = replace(node, written=written)
    edges = {key: edge for key, edge in offer.edges.items() if not _is_aged(edge, ours, nodes)}
    theirs = Graph.build(ours.key, nodes=nodes, use=_of_new(ours, offer), edges=edges, progress=offer.progress)
    base = Graph.build(ours.key, nodes={node_id: ours.nodes[node_id] for node_id in nodes if node_id in ours.nodes})
    lifting = Change(graph=ours.key, tombstones=dict.fromkeys(lifted))
    taken = _taken(base, ours.apply(lifting), theirs, user)
    forgotten = {node_id: Outcome.FORGOTTEN for node_id in offer.nodes if node_id not in nodes}
    change = replace(taken.change, tombstones={**lifting.tombstones, **taken.change.tombstones})
    return replace(taken, change=change, outcomes={**taken.outcomes, **forgotten})


def lacking(ours: Graph, offer: Graph) -> Graph:
    """The offer without the nodes that are here, in whatever spelling."""
    nodes = {node_id: node for node_id, node in offer.nodes.items() if ours.find(node_id) is None}
    return Graph.build(offer.key, nodes=nodes, use=offer.use, edges=offer.edges, progress=offer.progress)


def _is_aged(edge: Edge, ours: Graph, back: Collection[str]) -> bool:
    """Whether an edge is where a lesson has gone that has aged, and is not brought back with it."""
    return any(end not in back and has_aged(ours, end) for end in (edge.source, edge.target))


def _of_new(ours: Graph, offer: Graph) -> dict[str, Use]:
    """Use is taken with a node that was not here; of all others, ours is what counts."""
    return {node_id: use for node_id, use in offer.use.items() if node_id not in ours.nodes}


def _name(edge: Edge) -> str:
    """How an edge is named among the offered: no id has spaces."""
    return " ".join(edge.key)


def _version(edge: Edge) -> str:
    return hashlib.sha256("\0".join(edge.notes).encode("utf-8", "surrogatepass")).hexdigest()


def _replaced(ours: Graph, node_id: str) -> Millis:
    """When what a restored node takes the place of was written or deleted; 0 for nothing."""
    mine, stone = ours.nodes.get(node_id), ours.tombstones.get(node_id)
    times = (mine.written.at if mine is not None and mine.written is not None else 0, stone.at if stone else 0)
    return max(times)


def _is_later(ours: Graph, node: Node) -> bool:
    """Whether a node was written after it went from here. One that names no time was, unless it has only aged."""
    if node.written is None:
        return not has_aged(ours, node.id)
    return node.written.at > ours.tombstones[node.id].at


def _holds(mine: Node, offered: Node) -> bool:
    """Whether an earlier merge has already set this content aside in our node."""
    return any(aside.get("gist") == offered.gist and _texts(aside) == offered.notes for aside in mine.conflicts)


def _texts(record: Mapping[str, object]) -> tuple[object, ...]:
    notes = record.get("notes", ())
    return tuple(notes) if isinstance(notes, list | tuple) else ()


def _taken(base: Graph, ours: Graph, theirs: Graph, user: Graph | None) -> Taken:
    nodes, in_conflict = merge_part(
        base, ours, theirs, Part(ids=tuple(sorted(theirs.nodes)), tasks=tuple(sorted(theirs.progress)))
    )
    merged = ours.apply(nodes)
    awake = {key: edge for key, edge in theirs.edges.items() if not _dormant(edge, merged, user)}
    offered = Graph.build(ours.key, edges=awake)
    edges, _ = merge_part(base, merged, offered, Part(edges=tuple(sorted(awake))))
    outcomes = {
        node_id: Outcome.CONFLICT if node_id in in_conflict else _outcome(ours.nodes.get(node_id), merged, node_id)
        for node_id in theirs.nodes
    }
    return Taken(
        change=replace(nodes, edges=edges.edges),
        outcomes=outcomes,
        edges=len(edges.edges),
        dormant=tuple(_name(theirs.edges[key]) for key in sorted(theirs.edges) if key not in awake),
    )


def _outcome(mine: Node | None, merged: Graph, node_id: str) -> Outcome:
    after = merged.nodes.get(node_id)
    if after is None:
        return Outcome.FORGOTTEN
    if mine is None:
        return Outcome.ADDED
    return Outcome.SAME if after.version == mine.version else Outcome.UPDATED


def _dormant(edge: Edge, graph: Graph, user: Graph | None) -> bool:
    return any(graph.is_dormant(end, user) for end in (edge.source, edge.target))


def _respelled(ours: Graph, offer: Graph, user: Graph | None) -> Graph:
    """The offer in the spellings that ids have here: a variant of an id is that node."""

    def spelling(graph: Graph, node_id: str) -> str:
        found = graph.find(node_id)
        return node_id if found is None else found.id

    def end(text: str) -> str:
        match end_kind(text):
            case EndKind.PATH:
                return text
            case EndKind.USER:
                prefix, _, node_id = text.partition(":")
                return text if user is None else f"{prefix}:{spelling(user, node_id)}"
            case EndKind.NODE:
                return spelling(ours, text)

    ids = {node_id: spelling(ours, node_id) for node_id in offer.nodes}
    edges = [replace(edge, source=end(edge.source), target=end(edge.target)) for edge in offer.edges.values()]
    return Graph.build(
        ours.key,
        nodes={ids[node_id]: replace(node, id=ids[node_id]) for node_id, node in offer.nodes.items()},
        use={ids[node_id]: use for node_id, use in offer.use.items() if node_id in ids},
        edges={edge.key: edge for edge in edges},
        progress=offer.progress,
    )


def slices(offer: Graph, limit: int = 25) -> Iterator[Graph]:
    """The offer in parts of at most ``limit`` nodes or edges, and of some 64,000 characters; nodes come first.

    A part is what is checked, saved and indexed in one go: the default keeps that to a few milliseconds.
    """
    batch: dict[str, Node] = {}
    size = 0
    for node_id in sorted(offer.nodes):
        node = offer.nodes[node_id]
        heavy = len(node.gist) + sum(map(len, (*node.notes, *node.touches)))
        if batch and (len(batch) >= limit or size + heavy > _PART):
            yield _part(offer, batch)
            batch, size = {}, 0
        batch[node_id] = node
        size += heavy
    if batch or offer.progress:
        yield replace(_part(offer, batch), progress=offer.progress)
    edges = sorted(offer.edges)
    for start in range(0, len(edges), limit):
        yield Graph.build(offer.key, edges={key: offer.edges[key] for key in edges[start : start + limit]})


def _part(offer: Graph, nodes: dict[str, Node]) -> Graph:
    return Graph.build(
        offer.key, nodes=nodes, use={node_id: offer.use[node_id] for node_id in nodes if node_id in offer.use}
    )
