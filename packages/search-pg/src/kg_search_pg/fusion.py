"""Reciprocal rank fusion: two orders made one, without comparing their scores."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_plugin_api import SearchHit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SUPERSEDED: Final = 0.7
"""What a superseded node's score counts."""
LEXICAL: Final = "lexical"
DENSE: Final = "dense"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A node in one leg: its ``merit`` is what the leg orders by, the more the better."""

    key: str
    graph: str
    id: str
    status: str
    merit: float
    evidence: int = 0
    rarity: float = 0.0
    in_title: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much a rank counts: ``weight / (constant + rank)``."""

    constant: float = 60.0
    lexical: float = 1.0
    dense: float = 1.0


def ranks(leg: Sequence[Found]) -> dict[str, int]:
    """Key → rank in a leg, from 1; equal merits share a rank."""
    ordered = sorted(leg, key=lambda found: (-found.merit, found.key))
    told: dict[str, int] = {}
    before, rank = None, 0
    for place, found in enumerate(ordered, 1):
        if found.merit != before:
            before, rank = found.merit, place
        told.setdefault(found.key, rank)
    return told


def fuse(
    lexical: Sequence[Found],
    dense: Sequence[Found],
    limit: int,
    weights: Weights,
    strength: Callable[[Found], float] = lambda _: 0.0,
) -> tuple[SearchHit, ...]:
    """At most ``limit`` nodes of either leg, best first, ties broken by key.

    ``strength`` is what a node of the dense leg is worth to the gate of prompt recall.
    """
    by_words, by_meaning = ranks(lexical), ranks(dense)
    words = {found.key: found for found in lexical}
    meanings = {found.key: found for found in dense}
    hits = []
    for key in words.keys() | meanings.keys():
        found = words.get(key) or meanings[key]
        told = {leg: held[key] for leg, held in ((LEXICAL, by_words), (DENSE, by_meaning)) if key in held}
        score = sum(
            weight / (weights.constant + told[leg])
            for leg, weight in ((LEXICAL, weights.lexical), (DENSE, weights.dense))
            if leg in told
        )
        hits.append(
            SearchHit(
                key=key,
                graph=found.graph,
                id=found.id,
                score=round(score * (SUPERSEDED if found.status == "superseded" else 1.0), 6),
                evidence=found.evidence,
                rarity=found.rarity,
                in_title=found.in_title,
                strength=strength(meanings[key]) if key in meanings else 0.0,
                ranks=MappingProxyType(told),
            )
        )
    hits.sort(key=lambda hit: (-hit.score, hit.key))
    return tuple(hits[: max(0, limit)])
