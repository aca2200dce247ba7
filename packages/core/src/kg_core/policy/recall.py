"""Prompt recall: which lessons a person's prompt brings to mind. Mostly none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from kg_core.model import Status
from kg_core.policy.decision import NAMED, Candidate, Decision, Reason, Source
from kg_core.policy.paths import connections
from kg_core.policy.prompt import is_aside, said
from kg_core.policy.ranking import ranked
from kg_core.policy.text import asked, is_stop
from kg_core.render import Block, MarkKind, Rank, gist_block, relation, standing
from kg_plugin_api import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from kg_core.model import Graph, GraphKey
    from kg_plugin_api import SearchHit, SearchResults


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """When lessons are worth an interruption.

    ``least`` is the strength that one of the chosen must have (see :mod:`kg_core.policy.evidence`). On the dev half of
    the labelled set it brings a right lesson to 0.761 of the answerable prompts and nothing to a negative, of which the
    strongest reaches 0.30.
    ``near`` is the part of the best score that the chosen reach: at 0.3 the share rises by 0.004, the text by a half.
    At most ``most`` nodes are shown. A prompt that says itself that it asks for general knowledge or for play needs
    ``aside`` times the strength; no answerable prompt of the dev half or the training set loses its lesson by that.
    """

    least: float = 0.5
    aside: float = 4.0
    near: float = 0.4
    most: int = 4


GATE: Final = Gate()
_HITS: Final = 12
_BUDGET: Final = 0.05
"""Seconds. A person waits for it, and the built-in index answers when a search backend takes longer."""
_REACTIONS: Final = frozenset("👍👎👌👏🙌🙏💪🎉🚀🙂😀😃😄😅😂🤣😉😊😍😎🤔😢😭😱❤🔥💯✅")
"""Emoji that answer and do not ask: alone they name nothing."""
_HEADING: Final = "Lessons on what this prompt names:"
_PATH_HEADING: Final = "  how they hang together:"
_PATHS: Final = "recalled paths"


@lru_cache(maxsize=8)  # each event of a prompt asks three times
def question(prompt: str) -> str:
    """What to search for a prompt: its words, or nothing when it says nothing that could be searched."""
    words = said(prompt)
    return words if any(not is_stop(term) and term not in _REACTIONS for term in asked(words)) else ""


def request(prompt: str, graphs: tuple[GraphKey, ...]) -> SearchRequest:
    """What to ask an index for a prompt. Lessons of every status answer: one that does not hold explains the prompt
    too, and what matches less well is then not meant.
    """
    return SearchRequest(text=question(prompt), graphs=graphs, limit=_HITS, statuses=(), budget=_BUDGET, is_prompt=True)


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a prompt brings to mind, as blocks, mostly none; and why."""

    blocks: tuple[Block, ...]
    decision: Decision


def recall(
    prompt: str,
    results: SearchResults,
    graphs: Iterable[Graph],
    known: Container[tuple[GraphKey, str]],
    gate: Gate = GATE,
) -> Recalled:
    """The lessons that a prompt brings to mind.

    ``results`` answer :func:`request` over ``graphs``; ``known`` are the nodes whose gist is in front of the model:
    they appear by their id alone, on a path to another. When nothing of what the prompt names is new, there is
    nothing. What is superseded, proposed or retracted never appears; a correction stands in for what it corrects.
    """
    levels = {graph.key: graph for graph in graphs}
    asking = request(prompt, tuple(levels))
    if is_aside(asking.text):
        gate = replace(gate, least=gate.least * gate.aside)
    hits = ranked(results, levels.values(), asking).hits if asking.text else ()
    chosen = _chosen(hits, levels, gate)
    new = [hit for hit in chosen if (hit.graph, hit.id) not in known]
    reason = _reason(hits, chosen, levels, gate)
    if not asking.text:
        reason = Reason.NO_TERMS
    elif not hits and results.degraded:
        reason = Reason.DEGRADED
    elif reason is Reason.SHOWN and not new:
        reason = Reason.IN_VIEW
    named = sorted(hits, key=lambda hit: hit not in chosen)
    decision = Decision(
        source=Source.PROMPT,
        reason=reason,
        candidates=tuple(_candidate(hit, chosen, new, levels, reason) for hit in named[:NAMED]),
        threshold=gate.least,
        degraded=bool(results.degraded),
    )
    if not decision.is_injected:
        return Recalled((), decision)
    lessons = [gist_block(levels[hit.graph], hit.id, MarkKind.SEEN, hit.score) for hit in new]
    return Recalled((Block(text=_HEADING), *lessons, *_paths(chosen, levels)), decision)


def _chosen(hits: Sequence[SearchHit], levels: Mapping[GraphKey, Graph], gate: Gate) -> list[SearchHit]:
    """The best hits that may be shown unasked."""
    showable = [hit for hit in hits if _standing(hit, levels) is Status.CURRENT]
    best = max((hit.score for hit in showable), default=0.0)
    return [hit for hit in showable if hit.score >= gate.near * best][: gate.most]


def _reason(
    hits: Sequence[SearchHit], chosen: Sequence[SearchHit], levels: Mapping[GraphKey, Graph], gate: Gate
) -> Reason:
    """Whether to speak: one of the chosen is strong, and none that does not hold is better."""
    if not hits:
        return Reason.NOTHING_FOUND
    withheld = [hit.score for hit in hits if _standing(hit, levels) in {Status.PROPOSED, Status.RETRACTED}]
    best = max((hit.score for hit in chosen), default=0.0)
    if not chosen or max(withheld, default=0.0) > best:
        return Reason.NOT_CURRENT
    return Reason.SHOWN if any(hit.strength >= gate.least for hit in chosen) else Reason.WEAK


def _candidate(
    hit: SearchHit,
    chosen: Sequence[SearchHit],
    new: Sequence[SearchHit],
    levels: Mapping[GraphKey, Graph],
    reason: Reason,
) -> Candidate:
    """A hit, and what became of it in a decision with this reason."""
    if _standing(hit, levels) is not Status.CURRENT:
        reason = Reason.NOT_CURRENT
    elif hit not in chosen or reason is Reason.NOT_CURRENT:
        reason = Reason.OUTSCORED
    elif hit not in new:
        reason = Reason.IN_VIEW
    return Candidate(graph=hit.graph, id=hit.id, reason=reason, strength=hit.strength, score=hit.score)


def _paths(hits: Sequence[SearchHit], levels: Mapping[GraphKey, Graph]) -> list[Block]:
    """The edges between the hits, and to the nodes between them, by id."""
    found = connections(hits, levels.values(), _is_current)
    lines = [Block(text=f"    {relation(edge)}", rank=Rank.EDGE, parent=_PATHS) for _, edge in found.edges]
    return [Block(text=_PATH_HEADING, rank=Rank.EDGE, value=math.inf, name=_PATHS), *lines] if lines else []


def _standing(hit: SearchHit, levels: Mapping[GraphKey, Graph]) -> Status | None:
    graph = levels.get(hit.graph)
    return standing(graph, hit.id) if graph is not None and hit.id in graph.nodes else None


def _is_current(graph: Graph, node_id: str) -> bool:
    return standing(graph, node_id) is Status.CURRENT
