"""A decision on recall in words: what happened, for which reason, and what would change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model import USER, to_iso
from kg_core.policy import Reason, Source
from kg_core.render import one_line
from kg_plugin_api import EventKind
from kg_server.counting import counted
from kg_server.recall_log.entry import Arrival

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.model import GraphKey
    from kg_core.policy import Candidate, Decision
    from kg_server.recall_log.entry import Entry
    from kg_server.recall_log.log import RecallLog

_ARRIVALS: Final = {
    Arrival.SENT: "It is on its way.",
    Arrival.ARRIVED: "It arrived.",
    Arrival.LOST: "The client did not say in time that it arrived, so it is offered again.",
    Arrival.QUEUED: "It waits for an event that can carry it.",
}
_CANDIDATES: Final = {
    Reason.SHOWN: "shown",
    Reason.IN_VIEW: "in front of the model already",
    Reason.WEAK: "too little evidence",
    Reason.OUTSCORED: "others fit better",
    Reason.NOT_CURRENT: "superseded, proposed or retracted",
    Reason.NO_ROOM: "no room",
    Reason.THROTTLED: "shown a short time ago",
}
_WORDS: Final = (
    "To change it, put the words that you use when you need it into the lesson's id or gist, above all those that no "
    "other has. Everyday words count little, and words that no lesson knows count against. `kg search` finds it anyway."
)
_IN_VIEW: Final = "What fits it best is in front of the model already: more in common would bring nothing new."
_BESIDE: Final = "shown beside what has enough"
_CURRENT: Final = "To change it, write the lesson that holds, or make this one current."
_LATER: Final = "Once the client has compacted the session, they are offered again."
_ALWAYS: Final = "Such prompts are always silent."
_PROMPT: Final = {
    Reason.IN_VIEW: ("the lessons that it names are in front of the model already.", _LATER),
    Reason.WEAK: ("the lessons that match share too little with it.", _WORDS),
    Reason.NOT_CURRENT: (
        "the lesson that fits best is superseded, proposed or retracted, and such ones never come up on their own.",
        _CURRENT,
    ),
    Reason.NO_TERMS: (
        "without what was pasted, paths and the commonest words nothing is left to look for.",
        "To change it, name the thing that the lesson is about.",
    ),
    Reason.NOTHING_FOUND: (
        "no lesson shares a word with it.",
        "To change it, put the words that you use into the lesson's id or gist, or write the lesson.",
    ),
    Reason.MACHINE: ("no person wrote this prompt.", _ALWAYS),
    Reason.SUBAGENT: ("it was the prompt of a subagent, which gets the memory when it starts.", _ALWAYS),
}
_FILE: Final = {
    Reason.IN_VIEW: ("the lessons that point at it are in front of the model already.", _LATER),
    Reason.NOTHING_FOUND: (
        "no lesson points at it.",
        "To change it, add the file, a pattern or its folder to the touches of the lesson.",
    ),
    Reason.NOT_CURRENT: ("only superseded, proposed or retracted lessons point at it.", _CURRENT),
    Reason.THROTTLED: (
        "lessons came with this file before, or with many files within a minute.",
        "`kg show` and `kg search` show them at any time.",
    ),
}
_RULES: Final = {
    Reason.IN_VIEW: ("the rules of its component are in front of the model already.", _LATER),
    Reason.NOTHING_FOUND: (
        "no rule that must be kept applies to it.",
        "`kg map show` tells which component a file belongs to, `kg map check` what is wrong with the map.",
    ),
}
_ANY: Final = {
    Reason.NO_ROOM: (
        "the client's limit left no room.",
        "`kg search` finds what had no room; shorter gists need less.",
    ),
    Reason.DEGRADED: (
        "the memory could not be searched in time, or not whole.",
        "It is asked again with the next event. `kg status` and `kg doctor` say whether something is wrong.",
    ),
}
_BY_SOURCE: Final = {Source.PROMPT: _PROMPT, Source.FILE: _FILE, Source.RULES: _RULES}
_NOTHING_YET: Final = (
    "Nothing has been decided here yet. kg decides whether to bring something to mind when a person gives an agent a "
    "prompt, and when the agent reads or edits a file."
)

_NOTHING_THERE: Final = (
    "Nothing is known of a session {!r}, or of one that begins so. Without --session, it is what was decided last in "
    "this project that is explained."
)


async def told(log: RecallLog, session: str, project: GraphKey, most: int) -> dict[str, object]:
    """The newest ``most`` decisions of each source, as a person reads them (``text``) and as values: those in
    ``session`` or one that begins so, else those in ``project``, which is empty where there is none.
    """

    def accepts(entry: Entry) -> bool:
        return entry.is_of(session) if session else entry.moment.project == project

    found = await log.newest(accepts, most)
    text = explained(found) if found or not session else _NOTHING_THERE.format(one_line(session))
    return {"text": text, "decisions": [entry.record() for entry in found]}


def explained(entries: Sequence[Entry]) -> str:
    """Decisions in words, a paragraph each, or a sentence when there are none."""
    return "\n\n".join(_paragraph(entry) for entry in entries) if entries else _NOTHING_YET


def _paragraph(entry: Entry) -> str:
    moment, decision = entry.moment, entry.decision
    where = f"{one_line(moment.harness)}, session {one_line(moment.session)}"
    if moment.agent:
        where += f", subagent {one_line(moment.agent)}"
    lines = [f"{to_iso(moment.at)} {_about(decision)} · {where}"]
    if decision.is_injected:
        lines.append(f"{_brought(entry)} {_ARRIVALS.get(entry.arrival, '')}".strip())
        change = ""
    else:
        why, change = _reason(decision)
        lines.append(f"Silent: {why}")
    lines += [_line(each, decision) for each in decision.candidates]
    if decision.degraded and decision.reason is not Reason.DEGRADED:
        lines.append("A part of the memory could not be searched.")
    if change:
        lines.append(change)
    return "\n".join(lines)


def _about(decision: Decision) -> str:
    if decision.source is Source.PROMPT:
        return "prompt"
    return f"{'file' if decision.source is Source.FILE else 'rules for'} {one_line(decision.about)}".strip()


def _brought(entry: Entry) -> str:
    shown = [one_line(each.id) for each in entry.decision.candidates if each.reason is Reason.SHOWN]
    if entry.decision.source is Source.RULES:
        rules = f"rules of {', '.join(shown)}" if shown else "rules that hold everywhere"
        if entry.moment.event == EventKind.BEFORE_TOOL:
            return f"The edit was held back once, with the {rules} as the reason."
        return f"R{rules[1:]} came with it."
    return f"{counted(len(shown), 'lesson')} came with it."


def _reason(decision: Decision) -> tuple[str, str]:
    known = _BY_SOURCE[decision.source].get(decision.reason) or _ANY.get(decision.reason)
    if known and decision.reason is Reason.WEAK and _is_known(decision):
        return known[0], _IN_VIEW
    return known or (f"{_CANDIDATES.get(decision.reason, decision.reason.value)}.", "")


def _is_known(decision: Decision) -> bool:
    """Whether all that could have been shown is in front of the model already."""
    reasons = {candidate.reason for candidate in decision.candidates}
    return Reason.IN_VIEW in reasons and Reason.WEAK not in reasons


def _line(candidate: Candidate, decision: Decision) -> str:
    weight, least = "", decision.threshold
    if least:
        weight = f"evidence {_measured(candidate.strength, least)} where {least:.2f} is needed, "
    how = f"{one_line(candidate.how)}, " if candidate.how else ""
    level = " (user)" if candidate.graph == USER else ""
    became = _CANDIDATES.get(candidate.reason, candidate.reason.value)
    if candidate.reason is Reason.SHOWN and candidate.strength < least:
        became = _BESIDE
    return f"  {one_line(candidate.id)}{level}: {weight}{how}{became}"


def _measured(strength: float, least: float) -> str:
    """The strength to two digits, and to more where two would have it reach ``least`` and it does not."""
    texts = [f"{strength:.{digits}f}" for digits in (2, 4)]
    return next((text for text in texts if strength >= least or float(text) < least), f"{strength:.6f}")
