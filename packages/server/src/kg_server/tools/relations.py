"""Relations as the tools accept them: one spelling of each that means something to the memory, and of each pair's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model import DERIVED_FROM, SUPERSEDES, EdgeKey
from kg_core.model.ids import check_rel, fold, words
from kg_core.policy.credits import INSTANCE_OF

if TYPE_CHECKING:
    from kg_core.model import Graph


def spelled(rel: str) -> str:
    """The letters of a relation, however its words are joined: ``instance-of`` is ``instanceOf``, too."""
    return "".join(words(fold(rel.strip()).replace(" ", "-")))


_MEANT: Final = {spelled(rel): rel for rel in (SUPERSEDES, DERIVED_FROM, INSTANCE_OF)}


def relation(text: str) -> str:
    """The relation that ``text`` names: one that the memory acts upon in its own spelling, any other as it stands.

    Raises INVALID with a legal one proposed.
    """
    rel = check_rel(text)
    return _MEANT.get(spelled(rel), rel)


def edge_key(graph: Graph, source: str, text: str, target: str) -> EdgeKey:
    """The key under which this edge is written: of one that is there in another spelling, the stored one."""
    key = EdgeKey(source, relation(text), target)
    return key if key in graph.edges or key.rel in _MEANT.values() else _stored(graph, key) or key


def stored_key(graph: Graph, source: str, text: str, target: str) -> EdgeKey | None:
    """The key of the edge that is there under this relation, or under another spelling of it."""
    key = EdgeKey(source, text.strip(), target)
    return key if key in graph.edges else _stored(graph, key)


def between(graph: Graph, source: str, target: str) -> list[EdgeKey]:
    """The edges between two ends, in either direction."""
    incident = [keys for end in (source, target) if (keys := graph.incident.get(end)) is not None]
    if len(incident) < 2:
        return []
    return sorted(key for key in min(incident, key=len) if {key.source, key.target} == {source, target})


def _stored(graph: Graph, key: EdgeKey) -> EdgeKey | None:
    alike = (found for found in between(graph, key.source, key.target) if found.source == key.source)
    return next((found for found in alike if spelled(found.rel) == spelled(key.rel)), None)
