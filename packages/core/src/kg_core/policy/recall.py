"""Prompt recall: which lessons a person's prompt brings to mind. Mostly none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.model import Status
from kg_core.policy.paths import connections
from kg_core.policy.prompt import said
from kg_core.policy.ranking import ranked
from kg_core.policy.text import asked, is_stop
from kg_core.render import Block, MarkKind, Rank, gist_block, relation, standing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kg_core.model import Graph, GraphKey
    from kg_plugin_api import SearchHit, SearchResults


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """When a hit is worth an interruption. These numbers are a first setting, chosen by reason; they await the
    labelled benchmark with negatives, which alone may change them.

    ``rare`` is the rarity (0–1) that at least one shared term must have; ``terms`` distinct shared terms are enough
    then. A single shared term is enough when it is as rare as ``single`` and stands in the id, gist or tags.
    ``near`` is the part of the best hit's score that the others must reach. At most ``most`` nodes are shown.
    """

    rare: float = 0.5
    terms: int = 2
    single: float = 0.8
    near: float = 0.4
    most: int = 4

    def admits(self, hit: SearchHit) -> bool:
        """Whether what the hit shares with the prompt says that they are about the same thing."""
        if hit.evidence >= self.terms:
            return hit.rarity >= self.rare
        return hit.evidence == 1 and hit.in_title and hit.rarity >= self.single


GATE: Final = Gate()
_HEADING: Final = "Lessons on what this prompt names:"
_PATH_HEADING: Final = "  how they hang together:"
_PATHS: Final = "recalled paths"


def question(prompt: str) -> str:
    """What to search for a prompt: its words, or nothing when it says nothing that could be searched."""
    words = said(prompt)
    return words if any(not is_stop(term) for term in asked(words)) else ""


def recall(
    prompt: str,
    results: SearchResults,
    graphs: Iterable[Graph],
    known: Collection[tuple[GraphKey, str]],
    gate: Gate = GATE,
) -> list[Block]:
    """The lessons that a prompt brings to mind, as blocks, or nothing.

    ``results`` answer :func:`question` over ``graphs``; ``known`` are the nodes whose gist is in front of the model:
    they appear by their id alone, on a path to another. When nothing of what the prompt names is new, there is
    nothing. What is superseded, proposed or retracted never appears; a correction stands in for what it corrects.
    """
    levels = {graph.key: graph for graph in graphs}
    if not question(prompt):
        return []
    hits = _worthy(ranked(results, levels.values()).hits, levels, gate)
    new = [hit for hit in hits if (hit.graph, hit.id) not in known]
    if not new:
        return []
    lessons = [gist_block(levels[hit.graph], hit.id, MarkKind.SEEN, hit.score) for hit in new]
    return [Block(text=_HEADING), *lessons, *_paths(hits, levels)]


def _worthy(hits: Sequence[SearchHit], levels: Mapping[GraphKey, Graph], gate: Gate) -> list[SearchHit]:
    """The best hits that pass the gate and that may be shown unasked."""
    passing = [
        hit
        for hit in hits
        if hit.graph in levels
        and hit.id in levels[hit.graph].nodes
        and _is_current(levels[hit.graph], hit.id)
        and gate.admits(hit)
    ]
    best = max((hit.score for hit in passing), default=0.0)
    return [hit for hit in passing if hit.score >= gate.near * best][: gate.most]


def _paths(hits: Sequence[SearchHit], levels: Mapping[GraphKey, Graph]) -> list[Block]:
    """The edges between the hits, and to the nodes between them, by id."""
    found = connections(hits, levels.values(), _is_current)
    lines = [Block(text=f"    {relation(edge)}", rank=Rank.EDGE, parent=_PATHS) for _, edge in found.edges]
    return [Block(text=_PATH_HEADING, rank=Rank.EDGE, value=math.inf, name=_PATHS), *lines] if lines else []


def _is_current(graph: Graph, node_id: str) -> bool:
    return standing(graph, node_id) is Status.CURRENT
