"""Why something was brought to mind, or was not: in numbers and ids, never in anybody's words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Container

    from kg_core.model import GraphKey

NAMED: Final = 6
"""A decision names at most so many candidates."""


class Source(StrEnum):
    """Who decided: what a prompt names, what a file is pointed at by, what rules a file is under."""

    PROMPT = "prompt"
    FILE = "file"
    RULES = "rules"


class Reason(StrEnum):
    """Why a candidate was shown or was not, and why a source spoke or was silent."""

    SHOWN = "shown"
    IN_VIEW = "in_view"
    """It is in front of the model already."""
    WEAK = "weak"
    """It shares too little with what happened."""
    OUTSCORED = "outscored"
    """Others fit so much better that it is left out, or as many as may be shown."""
    NOT_CURRENT = "not_current"
    """It is superseded, proposed or retracted; of a source: such a one fits best."""
    NO_ROOM = "no_room"
    """The client's limit left no room for it."""
    THROTTLED = "throttled"
    """It was shown, or the source spoke, a short time ago."""
    NO_TERMS = "no_terms"
    """There is nothing in it that could be looked for."""
    NOTHING_FOUND = "nothing_found"
    """No lesson matches at all."""
    MACHINE = "machine"
    """No person wrote it."""
    SUBAGENT = "subagent"
    """It belongs to a subagent, which is told once, when it starts."""
    DEGRADED = "degraded"
    """What was to be searched could not answer in time, or not whole, and nothing was found in the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A lesson or a component that was considered. ``strength`` is the evidence for it in the unit of the decision's
    ``threshold``; ``how`` is the way it was found where there are several, as one word of the source.
    """

    graph: GraphKey
    id: str
    reason: Reason = Reason.SHOWN
    strength: float = 0.0
    score: float = 0.0
    how: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What one source made of one event. It holds nothing that a person or a program wrote but ids and ``about``.

    ``candidates`` are the best ones in order, at most :data:`NAMED`. ``threshold`` is the strength that speaking takes,
    0 where nothing is measured. ``about`` is the file that the event is about, relative to its project; empty for a
    prompt. ``degraded`` says that a part of the memory could not be searched.
    """

    source: Source
    reason: Reason
    candidates: tuple[Candidate, ...] = ()
    threshold: float = 0.0
    about: str = ""
    degraded: bool = False

    @property
    def is_injected(self) -> bool:
        """Whether the source spoke."""
        return self.reason is Reason.SHOWN

    def fitted(self, arriving: Container[tuple[GraphKey, str]]) -> Decision:
        """The decision after the text was cut: what was to be shown and is not ``arriving`` had no room."""
        shown = [each for each in self.candidates if each.reason is Reason.SHOWN]
        lost = [each for each in shown if (each.graph, each.id) not in arriving]
        if not self.is_injected or not lost:
            return self
        candidates = tuple(replace(each, reason=Reason.NO_ROOM) if each in lost else each for each in self.candidates)
        return replace(self, candidates=candidates, reason=Reason.NO_ROOM if lost == shown else Reason.SHOWN)
