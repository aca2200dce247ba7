"""The built-in index: terms to nodes, in memory, kept up to date one node at a time."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kg_core.policy.evidence import Match, Wording, missing, rarity, shared, strength
from kg_core.policy.impacts import SCALE, has_text_of, impacts
from kg_core.policy.leading import Wanted, leading
from kg_core.policy.postings import TITLED, Postings
from kg_core.policy.text import Role, asked
from kg_plugin_api import SearchHit, SearchResults

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kg_plugin_api import SearchItem, SearchRequest

_FINE: Final = 1_000
"""What a term of the question counts is taken in so many parts of its unit."""
_TERMS: Final = 32
"""Of a long question, the rarest terms are asked for."""
_WEIGHTS: Final = {
    Role.WORD: 1.0,
    Role.PART: 0.8,
    Role.SIGN: 1.0,
    Role.WHOLE: 0.5,
    Role.NUMBER: 0.6,
    Role.GRAM: 1.0,
    Role.SYLLABLES: 1.0,
    Role.LOOSE: 0.6,
    Role.LONE: 0.4,
}
"""What a term of the question counts."""
_LONG_CHAIN: Final = 3
"""So many n-grams in a row are as good as two words."""
_SUPERSEDED_WEIGHT: Final = 0.7
"""What a superseded node's score counts, and so what it leaves to what supersedes it: at 0.5 hit@5 of questions in
old words is 0.975 on the dev half, from 0.7 on 1.000; at 0.9 other classes lose as much."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A term of a question: how many nodes have it, how rare that is, and what it says for and against a node."""

    text: str
    role: Role
    frequency: int
    rarity: float
    shared: float
    missing: float


@dataclass(slots=True)
class _Scope:
    """The index of one graph. Nothing is shared between graphs, so that none can leak into another.

    Nodes have numbers, which those removed leave to later ones.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    items: list[SearchItem | None] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    postings: Postings = field(default_factory=Postings)
    unusual: dict[int, str] = field(default_factory=dict)
    """Status of the nodes that are not current."""

    def add(self, item: SearchItem) -> None:
        if self.free:
            number = self.free.pop()
        else:
            number = len(self.items)
            self.items.append(None)
        self.numbers[item.key] = number
        self.postings.add(number, impacts(item))
        self._know(number, item)

    def replace(self, item: SearchItem) -> None:
        """Takes a new item for a known key; one whose text is the same costs nothing."""
        number = self.numbers[item.key]
        before = self.item(number)
        if not has_text_of(item, before):
            self.postings.remove(number, impacts(before))
            self.postings.add(number, impacts(item))
        self._know(number, item)

    def remove(self, key: str) -> None:
        number = self.numbers.pop(key)
        self.postings.remove(number, impacts(self.item(number)))
        self.items[number] = None
        self.unusual.pop(number, None)
        self.free.append(number)

    def item(self, number: int) -> SearchItem:
        """The node of a number that is in use."""
        item = self.items[number]
        if item is None:
            raise LookupError(f"no node has the number {number}")
        return item

    def _know(self, number: int, item: SearchItem) -> None:
        self.items[number] = item
        if item.status == "current":
            self.unusual.pop(number, None)
        else:
            self.unusual[number] = item.status


class Index:
    """An inverted index over many graphs. An upsert costs its own text at any size; any text may be asked for."""

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
                if not self._scopes[graph].numbers:
                    del self._scopes[graph]

    def get(self, key: str) -> SearchItem | None:
        """The item of a key, as it is indexed."""
        graph = self._graph_of.get(key)
        return None if graph is None else self._scopes[graph].item(self._scopes[graph].numbers[key])

    def snapshot(self) -> Mapping[str, str]:
        """Key → hash of all that is indexed."""
        return {item.key: item.hash for scope in self._scopes.values() for item in scope.items if item is not None}

    def search(self, request: SearchRequest) -> SearchResults:
        """The nodes that share terms with the text, best first: the more of them and the rarer, the better.

        How rare a term is, is measured over all graphs asked. A superseded node weighs less.
        """
        scopes = [self._scopes[graph] for graph in dict.fromkeys(request.graphs) if graph in self._scopes]
        size = sum(len(scope.numbers) for scope in scopes)
        question, limit = _question(request.text, scopes, size), max(0, request.limit)
        found: list[tuple[float, str, _Scope]] = []
        wanted = [Wanted(term.text, round(_FINE * term.rarity * _WEIGHTS[term.role])) for term in _rarest(question)]
        for scope in scopes:
            scores = leading(scope.postings, wanted, limit if _is_open(request) else math.inf, scope.unusual)
            best = _best(_admitted(scores, scope, request), limit)
            found += [(-score, scope.item(number).key, scope) for number, score in best]
        found.sort(key=lambda each: each[:2])
        wording, rarest = Wording.of(request.text), rarity(1, size)
        hits = [_hit(scope, key, -score, question, wording, rarest) for score, key, scope in found[:limit]]
        return SearchResults(hits=tuple(hits))

    def weighed(self, request: SearchRequest, results: SearchResults) -> SearchResults:
        """What another index found, in its order, with what each node shares with the text by the measure of this one.

        So that a gate means the same whoever searches. A strength that the other index gives counts where it is more.
        Passages of documents, which this index does not have, stay as they are; a node that the filters do not let
        through goes, whatever the other index knows of them.
        """
        scopes = [self._scopes[graph] for graph in dict.fromkeys(request.graphs) if graph in self._scopes]
        size = sum(len(scope.numbers) for scope in scopes)
        question, wording, rarest = _question(request.text, scopes, size), Wording.of(request.text), rarity(1, size)
        hits = []
        for hit in results.hits:
            scope = self._scopes.get(self._graph_of.get(hit.key, ""))
            if scope is None or not _is_wanted(scope.item(scope.numbers[hit.key]), request):
                hits += [hit] if hit.passage is not None else []
                continue
            ours = _hit(scope, hit.key, 0.0, question, wording, rarest)
            hits.append(replace(ours, score=hit.score, strength=max(hit.strength, ours.strength), ranks=hit.ranks))
        return replace(results, hits=tuple(hits))


def _question(text: str, scopes: Sequence[_Scope], size: int) -> list[_Asked]:
    """The terms that a question asks for, in order."""
    found = []
    for term, role in asked(text).items():
        frequency = sum(scope.postings.frequency(term) for scope in scopes)
        rare = rarity(frequency, size) if frequency else 0.0
        says = shared(term, role, frequency, size) if frequency else 0.0
        found.append(_Asked(term, role, frequency, rare, says, missing(term, role, frequency, size)))
    return found


def _rarest(question: Sequence[_Asked]) -> list[_Asked]:
    """The terms that occur, in order; the rarest of them if there are many."""
    known = [term for term in question if term.frequency]
    if len(known) <= _TERMS:
        return known
    rarest = {term.text for term in sorted(known, key=lambda term: (-term.rarity, term.text))[:_TERMS]}
    return [term for term in known if term.text in rarest]


def _hit(
    scope: _Scope,
    key: str,
    score: float,
    question: Sequence[_Asked],
    wording: Wording,
    rarest: float,
) -> SearchHit:
    number = scope.numbers[key]
    item = scope.item(number)
    entries = ((term, scope.postings.impact(term.text, number)) for term in question if term.frequency)
    found = [(term, bool(entry & TITLED)) for term, entry in entries if entry]
    firm = [(term, titled) for term, titled in found if term.role not in {Role.LONE, Role.LOOSE}]
    matches = [Match(term.text, term.role, term.shared, titled) for term, titled in found]
    lacking = sum(term.missing for term in question) - sum(term.missing for term, _ in found)
    return SearchHit(
        key=key,
        graph=item.graph,
        id=item.id,
        score=round(score / (SCALE * _FINE), 6),
        evidence=_evidence([(term.text, term.role) for term, _ in firm]),
        rarity=round(max((term.rarity for term, _ in firm), default=0.0) / rarest, 6),
        in_title=any(titled for _, titled in firm),
        strength=round(strength(matches, lacking, (item.id, item.gist, *item.tags), wording), 6),
    )


def _evidence(matched: Sequence[tuple[str, Role]]) -> int:
    """How many words are shared: an identifier counts by its parts, n-grams that overlap count as one or two."""
    words = sum(role in {Role.WORD, Role.PART, Role.SIGN} for _, role in matched)
    chain = 0
    before = ""
    for term, role in matched:
        if role in {Role.GRAM, Role.SYLLABLES}:
            chain = chain + 1 if before and before[1:] == term[:-1] else 1
            words += chain in {1, _LONG_CHAIN}
            before = term
    return words


def _is_open(request: SearchRequest) -> bool:
    """Whether every node may answer whose status is current."""
    return not _narrows(request) and (not request.statuses or "current" in request.statuses)


def _narrows(request: SearchRequest) -> bool:
    """Whether more than the status of a node decides if it may answer."""
    return bool(request.tiers or request.tags or request.kinds or request.observers or request.observed)


def _admitted(scores: Mapping[int, float], scope: _Scope, request: SearchRequest) -> dict[int, float]:
    """What the request's filters let through, superseded ones weighed down."""
    scores = dict(scores)
    for number, status in scope.unusual.items():
        if number in scores:
            if request.statuses and status not in request.statuses:
                del scores[number]
            elif status == "superseded":
                scores[number] *= _SUPERSEDED_WEIGHT
    if request.statuses and "current" not in request.statuses:
        scores = {number: score for number, score in scores.items() if number in scope.unusual}
    if _narrows(request):
        scores = {number: score for number, score in scores.items() if _is_wanted(scope.item(number), request)}
    return scores


def _is_wanted(item: SearchItem, request: SearchRequest) -> bool:
    return (
        (not request.tiers or item.tier in request.tiers)
        and (not request.kinds or item.kind in request.kinds)
        and (not request.observers or item.observer in request.observers)
        and (not request.observed or item.observed in request.observed)
        and all(tag in item.tags for tag in request.tags)
    )


def _best(scores: Mapping[int, float], limit: int) -> list[tuple[int, float]]:
    """At least the best ``limit``, with all that equal the last of them."""
    if len(scores) <= limit:
        return list(scores.items())
    least = heapq.nlargest(limit, scores.values())[-1] if limit else 0.0
    return [(number, score) for number, score in scores.items() if score >= least] if limit else []
