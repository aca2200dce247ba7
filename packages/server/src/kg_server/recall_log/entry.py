"""One line of the recall log: a decision, where it was made, and what became of its text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Self

from kg_core.model import from_iso, to_iso
from kg_core.policy import Candidate, Decision, Reason, Source, scrub
from kg_core.render import one_line

if TYPE_CHECKING:
    from kg_core.model import GraphKey, Millis
    from kg_plugin_api import Event
    from kg_server.contexts import Context

_LONGEST: Final = 256
"""Characters of a name, a path or an id: a line of the log is bounded."""


class Arrival(StrEnum):
    """What became of the text of a decision."""

    NOTHING = "nothing"
    """There was none."""
    SENT = "sent"
    """It is on its way, or the server ended before it was known to have arrived."""
    ARRIVED = "arrived"
    LOST = "lost"
    """The client did not take it, or did not say so in time: it is offered again."""
    QUEUED = "queued"
    """It waits for an event that can carry it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When and where something was decided. ``context`` is the short id, ``session`` and ``agent`` are the harness's
    own; ``project`` is the key of the project's graph, or empty; ``event`` is the neutral kind of the event.
    """

    at: Millis
    harness: str
    session: str
    context: str
    event: str
    agent: str = ""
    project: GraphKey = ""

    @classmethod
    def of(cls, event: Event, context: Context, at: Millis) -> Self:
        """The moment of an event in a context."""
        return cls(
            at=at,
            harness=context.key.harness,
            session=context.key.session,
            agent=context.key.agent,
            context=context.id,
            project=context.project,
            event=event.kind.value,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A decision, its moment, and the arrival of its text."""

    moment: Moment
    decision: Decision
    arrival: Arrival = Arrival.NOTHING

    def is_of(self, session: str) -> bool:
        """Whether it was made in this context, or in a session of an agent whose id begins so."""
        return session == self.moment.context or self.moment.session.startswith(session)

    def record(self) -> dict[str, Any]:
        """As JSON-compatible values: no words of a prompt or a lesson, and no secrets in what names something."""
        moment, decision = self.moment, self.decision
        return {
            "at": to_iso(moment.at),
            "harness": _name(moment.harness),
            "session": _name(moment.session),
            "agent": _name(moment.agent),
            "context": moment.context,
            "project": _name(moment.project),
            "event": moment.event,
            "source": decision.source.value,
            "outcome": "injected" if decision.is_injected else "silent",
            "reason": decision.reason.value,
            "arrival": self.arrival.value,
            "threshold": decision.threshold,
            "about": _name(decision.about),
            "degraded": decision.degraded,
            "candidates": [
                {
                    "graph": _name(each.graph),
                    "id": _name(each.id),
                    "reason": each.reason.value,
                    "strength": round(each.strength, 3),
                    "score": round(each.score, 3),
                    "how": _name(each.how),
                }
                for each in decision.candidates
            ],
        }

    def line(self) -> bytes:
        """The record as one line."""
        return json.dumps(self.record(), ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"

    @classmethod
    def of(cls, line: bytes) -> Entry | None:
        """The entry of a line; ``None`` for a line that is none, whoever wrote it."""
        try:
            found = json.loads(line)
            return cls(
                moment=Moment(
                    at=from_iso(str(found["at"])),
                    harness=str(found["harness"]),
                    session=str(found["session"]),
                    agent=str(found["agent"]),
                    context=str(found["context"]),
                    project=str(found["project"]),
                    event=str(found["event"]),
                ),
                decision=Decision(
                    source=Source(found["source"]),
                    reason=Reason(found["reason"]),
                    threshold=float(found["threshold"]),
                    about=str(found["about"]),
                    degraded=bool(found["degraded"]),
                    candidates=tuple(
                        Candidate(
                            graph=str(each["graph"]),
                            id=str(each["id"]),
                            reason=Reason(each["reason"]),
                            strength=float(each["strength"]),
                            score=float(each["score"]),
                            how=str(each["how"]),
                        )
                        for each in found["candidates"]
                    ),
                ),
                arrival=Arrival(found["arrival"]),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None


def _name(text: str) -> str:
    """A name as it may be written down: short, one line, without secrets."""
    return one_line(scrub(text).text[:_LONGEST])
