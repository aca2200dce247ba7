"""The built-in index: terms to nodes, in memory, kept up to date one node at a time."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kg_core.policy.text import Role, asked, terms
from kg_plugin_api import SearchHit, SearchResults

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kg_plugin_api import SearchItem, SearchRequest

_SATURATION: Final = 1.2
_LENGTH: Final = 0.4
"""How much a long field counts less."""
_SCALE: Final = 100
"""What a term adds to a node is kept as a small whole number: memory, and sums without rounding."""
_TERMS: Final = 32
"""Of a long question, the rarest terms are asked for."""
_WEIGHTS: Final = {Role.WORD: 1.0, Role.WHOLE: 1.0, Role.GRAM: 1.0, Role.LOOSE: 0.6, Role.LONE: 0.4}
"""What a term of the question counts."""
_LONG_CHAIN: Final = 3
"""So many n-grams in a row are as good as two words."""
_SUPERSEDED_WEIGHT: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Field:
    """What a term in this field weighs, and how many terms the field usually has."""

    weight: float
    usual: int


_ID: Final = _Field(3.0, 4)
_GIST: Final = _Field(2.0, 20)
_NOTES: Final = _Field(1.0, 60)
_TOUCHES: Final = _Field(1.0, 10)


@dataclass(frozen=True, slots=True)
class _Document:
    item: SearchItem
    terms: tuple[str, ...]


@dataclass(slots=True)
class _Scope:
    """The index of one graph. Nothing is shared between graphs, so that none can leak into another."""

    documents: dict[str, _Document] = field(default_factory=dict)
    postings: dict[str, dict[str, int]] = field(default_factory=dict)
    unusual: dict[str, str] = field(default_factory=dict)
    """Status of the documents that are not current."""

    def add(self, item: SearchItem) -> None:
        impacts = _impacts(item)
        for term, impact in impacts.items():
            self.postings.setdefault(term, {})[item.key] = impact
        self._know(_Document(item, tuple(impacts)))

    def replace(self, item: SearchItem) -> None:
        """Takes a new item for a known key; one whose text is the same costs nothing."""
        before = self.documents[item.key]
        if _text(before.item) == _text(item):
            self._know(_Document(item, before.terms))
        else:
            self.remove(item.key)
            self.add(item)

    def remove(self, key: str) -> None:
        for term in self.documents.pop(key).terms:
            posting = self.postings[term]
            del posting[key]
            if not posting:
                del self.postings[term]
        self.unusual.pop(key, None)

    def _know(self, document: _Document) -> None:
        item = document.item
        self.documents[item.key] = document
        if item.status == "current":
            self.unusual.pop(item.key, None)
        else:
            self.unusual[item.key] = item.status


class Index:
    """An inverted index over many graphs. An upsert costs the same at any size; any text may be asked for."""

    def __init__(self) -> None:
        self._scopes: dict[str, _Scope] = {}
        self._graph_of: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._graph_of)

    def upsert(self, items: Iterable[SearchItem]) -> None:
        """Replaces by key; the last of equal keys wins."""
        for item in items:
            known = self._graph_of.get(item.key)
            if known is not None and known != item.graph:
                self.remove([item.key])
                known = None
            scope = self._scopes.setdefault(item.graph, _Scope())
            if known is None:
                self._graph_of[item.key] = item.graph
                scope.add(item)
            else:
                scope.replace(item)

    def remove(self, keys: Iterable[str]) -> None:
        """Forgets keys; unknown ones are ignored."""
        for key in keys:
            graph = self._graph_of.pop(key, None)
            if graph is not None:
                self._scopes[graph].remove(key)
                if not self._scopes[graph].documents:
                    del self._scopes[graph]

    def snapshot(self) -> Mapping[str, str]:
        """Key → hash of all that is indexed."""
        return {key: document.item.hash for scope in self._scopes.values() for key, document in scope.documents.items()}

    def search(self, request: SearchRequest) -> SearchResults:
        """The nodes that share terms with the text, best first: the more of them and the rarer, the better.

        How rare a term is, is measured over all graphs asked. A superseded node weighs half.
        """
        scopes = [self._scopes[graph] for graph in dict.fromkeys(request.graphs) if graph in self._scopes]
        size = sum(len(scope.documents) for scope in scopes)
        rarities = _rarities(asked(request.text), scopes, size)
        found: dict[str, float] = {}
        for scope in scopes:
            scored: dict[str, float] = {}
            for term, (role, rarity) in rarities.items():
                weight = rarity * _WEIGHTS[role]
                for key, impact in scope.postings.get(term, {}).items():
                    scored[key] = scored.get(key, 0.0) + weight * impact
            found.update(_admitted(scored, scope, request))
        rarest = _rarity(1, size)
        hits = [self._hit(key, found[key], rarities, rarest) for key in _best(found, max(0, request.limit))]
        return SearchResults(hits=tuple(hits))

    def _hit(self, key: str, score: float, rarities: Mapping[str, tuple[Role, float]], rarest: float) -> SearchHit:
        scope = self._scopes[self._graph_of[key]]
        document = scope.documents[key]
        matched = [
            term
            for term, (role, _) in rarities.items()
            if role is not Role.LONE and role is not Role.LOOSE and key in scope.postings.get(term, {})
        ]
        title = {term.text for term in terms(f"{document.item.id}\n{_claim(document.item)}")}
        return SearchHit(
            key=key,
            graph=document.item.graph,
            id=document.item.id,
            score=round(score / _SCALE, 6),
            evidence=_evidence([(term, rarities[term][0]) for term in matched]),
            rarity=round(max((rarities[term][1] for term in matched), default=0.0) / rarest, 6),
            in_title=not title.isdisjoint(matched),
        )


def _rarities(question: Mapping[str, Role], scopes: Sequence[_Scope], size: int) -> dict[str, tuple[Role, float]]:
    """Role and rarity of the terms that occur, the rarest if there are many."""
    known = {}
    for term, role in question.items():
        frequency = sum(len(scope.postings.get(term, ())) for scope in scopes)
        if frequency:
            known[term] = (role, _rarity(frequency, size))
    if len(known) <= _TERMS:
        return known
    rarest = set(sorted(known, key=lambda term: (-known[term][1], term))[:_TERMS])
    return {term: known[term] for term in known if term in rarest}


def _evidence(matched: Sequence[tuple[str, Role]]) -> int:
    """How many words are shared: an identifier counts by its parts, n-grams that overlap count as one or two."""
    words = sum(role is Role.WORD for _, role in matched)
    chain = 0
    before = ""
    for term, role in matched:
        if role is Role.GRAM:
            chain = chain + 1 if before and before[1:] == term[:-1] else 1
            words += chain in {1, _LONG_CHAIN}
            before = term
    return words


def _rarity(frequency: int, size: int) -> float:
    """Inverse document frequency; above 0 even for a term that is everywhere."""
    return math.log1p((size - frequency + 0.5) / (frequency + 0.5))


def _admitted(scored: dict[str, float], scope: _Scope, request: SearchRequest) -> dict[str, float]:
    """What the request's filters let through, superseded ones weighed down."""
    for key, status in scope.unusual.items():
        if key in scored:
            if request.statuses and status not in request.statuses:
                del scored[key]
            elif status == "superseded":
                scored[key] *= _SUPERSEDED_WEIGHT
    if request.statuses and "current" not in request.statuses:
        scored = {key: score for key, score in scored.items() if key in scope.unusual}
    if request.tiers or request.tags or request.kinds:
        documents = scope.documents
        scored = {key: score for key, score in scored.items() if _is_wanted(documents[key].item, request)}
    return scored


def _is_wanted(item: SearchItem, request: SearchRequest) -> bool:
    return (
        (not request.tiers or item.tier in request.tiers)
        and (not request.kinds or item.kind in request.kinds)
        and all(tag in item.tags for tag in request.tags)
    )


def _best(found: Mapping[str, float], limit: int) -> list[str]:
    """The best keys, equal ones in the order of keys."""
    if len(found) > limit > 0:
        least = heapq.nlargest(limit, found.values())[-1]
        found = {key: score for key, score in found.items() if score >= least}
    return sorted(found, key=lambda key: (-found[key], key))[:limit]


def _text(item: SearchItem) -> tuple[object, ...]:
    return item.id, item.gist, item.notes, item.touches, item.tags


def _claim(item: SearchItem) -> str:
    return "\n".join((item.gist, *item.tags))


def _impacts(item: SearchItem) -> dict[str, int]:
    """What each term adds to the node."""
    fields = (
        (_ID, item.id),
        (_GIST, _claim(item)),
        (_NOTES, "\n".join(item.notes)),
        (_TOUCHES, "\n".join(item.touches)),
    )
    weights: dict[str, float] = {}
    for kind, text in fields:
        counts = Counter(term.text for term in terms(text))
        length = 1 - _LENGTH + _LENGTH * counts.total() / kind.usual
        for term, count in counts.items():
            weights[term] = weights.get(term, 0.0) + kind.weight * count / length
    return {
        term: max(1, round(_SCALE * weight * (_SATURATION + 1) / (weight + _SATURATION)))
        for term, weight in weights.items()
    }
