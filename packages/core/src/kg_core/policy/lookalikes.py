"""What a new lesson resembles: a lesson that says the same, or one that names what it describes again.

Beside the search index, because a write must cost the same at any size: words that many lessons share are only counted.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kg_core.model.ids import advice, words
from kg_core.policy.text import Role, asked

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kg_core.model import Graph, GraphKey

_HOLDERS: Final = 64
"""So many lessons that share a word are remembered; a word of more says little about any of them."""
_SAME: Final = 0.65
"""From this likeness (0–1) on, two lessons are said to be the same; set by the pairs of ``test_policy_lookalikes``."""
_SHARED: Final = 3
"""At least so many words are shared then."""
_SMEARED: Final = (6, 0.08, 0.25)
"""A word is smeared over a graph when at least so many lessons, and this part of them up to that part, have it."""
_TERM: Final = 5
"""Shorter words name nothing."""


@dataclass(slots=True)
class _Word:
    """Who has a word: how many, and which, as long as they are few; and whose id has it."""

    count: int = 0
    holders: set[str] | None = field(default_factory=set)
    titled: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Level:
    terms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    words: dict[str, _Word] = field(default_factory=dict)


class Lookalikes:
    """The words of the ids and gists of many graphs. Entering, taking out and asking cost the same at any size."""

    def __init__(self) -> None:
        self._levels: dict[GraphKey, _Level] = {}

    def put(self, graph: GraphKey, node_id: str, gist: str) -> None:
        """Enters a node, in place of what was known of it."""
        self.remove(graph, node_id)
        level = self._levels.setdefault(graph, _Level())
        terms = tuple(sys.intern(term) for term in _terms(node_id, gist))
        level.terms[node_id] = terms
        titled = set(_terms(node_id, ""))
        for term in terms:
            word = level.words.setdefault(term, _Word())
            word.count += 1
            if word.holders is not None:
                word.holders.add(node_id)
                if len(word.holders) > _HOLDERS:
                    word.holders = None
            if term in titled and len(word.titled) < _HOLDERS:
                word.titled.add(node_id)

    def remove(self, graph: GraphKey, node_id: str) -> None:
        """Takes out a node; an unknown one is ignored."""
        level = self._levels.get(graph)
        if level is None:
            return
        for term in level.terms.pop(node_id, ()):
            word = level.words[term]
            word.count -= 1
            word.titled.discard(node_id)
            if word.holders is not None:
                word.holders.discard(node_id)
            if not word.count:
                del level.words[term]

    def twin(self, graph: GraphKey, node_id: str, gist: str) -> str | None:
        """The node of the graph that seems to say the same as a new one, if there is one."""
        level = self._levels.get(graph)
        terms = set(_terms(node_id, gist))
        if level is None or len(terms) < _SHARED:
            return None
        shared: Counter[str] = Counter()
        for term in terms:
            word = level.words.get(term)
            if word is not None and word.holders:
                shared.update(word.holders)
        shared.pop(node_id, None)
        likeness = {
            other: _likeness(level, terms, set(level.terms[other]))
            for other, count in shared.items()
            if count >= _SHARED - 1
        }
        best = max(likeness, key=lambda other: (likeness[other], other), default=None)
        return best if best is not None and likeness[best] >= _SAME else None

    def hub(self, graph: Graph, node_id: str, gist: str, aside: Collection[str] = ()) -> tuple[str, str] | None:
        """A word of a new node that many nodes of ``graph`` use, and the node that is named after it.

        ``None`` when there is no such word. ``aside`` are words that name the graph itself.
        """
        level = self._levels.get(graph.key)
        if level is None:
            return None
        least, low, high = _SMEARED
        size = len(level.terms)
        found: list[tuple[int, str, str]] = []
        for term in _terms(node_id, gist):
            word = level.words.get(term)
            if word is None or len(term) < _TERM or any(_is_akin(term, other) for other in aside):
                continue
            if max(least, low * size) <= word.count <= high * size:
                named = [
                    other for other in word.titled if other != node_id and other in graph.nodes and not advice(other)
                ]
                best = max(named, key=lambda other: (_edges(graph, other), -len(words(other)), other), default=None)
                if best is not None and _edges(graph, best) and node_id not in word.titled:
                    found.append((word.count, term, best))
        if not found:
            return None
        _, term, best = max(found)
        return _spelled(term, f"{' '.join(words(node_id))} {gist}"), best


def _terms(node_id: str, gist: str) -> list[str]:
    """The distinct words, identifiers in parts alone, stop words left out."""
    text = f"{' '.join(words(node_id))}\n{gist}"
    return [term for term, role in asked(text).items() if role is not Role.WHOLE]


def _likeness(level: _Level, one: set[str], other: set[str]) -> float:
    """Which part of the words of both they share, rare ones counting more; 0 when too few are shared."""
    shared = one & other
    if len(shared) < _SHARED:
        return 0.0
    return 2 * _weight(level, shared) / (_weight(level, one) + _weight(level, other))


def _weight(level: _Level, terms: Iterable[str]) -> float:
    size = len(level.terms) + 1
    return math.fsum(math.log1p(size / (1 + (word.count if (word := level.words.get(term)) else 0))) for term in terms)


def _edges(graph: Graph, node_id: str) -> int:
    return len(graph.incident.get(node_id, ()))


def _is_akin(term: str, other: str) -> bool:
    return term.startswith(other) or other.startswith(term)


def _spelled(term: str, text: str) -> str:
    """The word of ``text`` that the term stands for."""
    return next((word for word in text.split() if word.casefold().strip(".,:;!?()'\"").startswith(term)), term).strip(
        ".,:;!?()'\""
    )
