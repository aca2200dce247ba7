"""What set-up or removal did, or would do, to the settings of one harness: told to a program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kg_core.policy.secrets import scrub
from kg_plugin_api import StepState

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from kg_core.claims import FileChange, Outcome, Plan
    from kg_plugin_api import Offer, Step, StepStatus
    from kg_server.setup.copies import Copy


@dataclass(slots=True)
class Account:
    """Filled in while a command runs; ``record`` is what ``--json`` prints of it."""

    name: str
    title: str
    files: list[dict[str, object]] = field(default_factory=list)
    refusals: list[dict[str, object]] = field(default_factory=list)
    notes: list[dict[str, object]] = field(default_factory=list)
    backups: list[str] = field(default_factory=list)
    steps: list[dict[str, object]] = field(default_factory=list)
    offers: list[dict[str, object]] = field(default_factory=list)
    still_open: list[str] = field(default_factory=list)

    def planned(self, plan: Plan) -> None:
        """These changes are to be made; none is yet."""
        self.files = _files(plan)
        self.refusals = _refusals(plan)

    def wrote(self, plan: Plan, outcome: Outcome) -> None:
        """They were, as far as the outcome says."""
        self.files = _files(plan, outcome.done)
        self.refusals = _refusals(outcome)
        self._kept(outcome)

    def step(self, step: Step, status: StepStatus) -> None:
        """How far a step is that goes through the client."""
        self.steps.append(
            {
                "name": step.name,
                "title": step.title,
                "state": str(status.state),
                "needs_consent": step.needs_consent,
                "explanation": "" if status.state is StepState.DONE else step.explanation,
            }
        )

    def offered(self, offer: Offer, plan: Plan, outcome: Outcome | None = None) -> None:
        """What is optional, and was accepted if there is an outcome."""
        done = () if outcome is None else outcome.done
        asked: dict[str, object] = {"name": offer.name, "question": offer.question, "accepted": outcome is not None}
        self.offers.append({**asked, "files": _files(plan, done)})
        if outcome is not None:
            self.refusals += _refusals(outcome)
            self._kept(outcome)

    def copies(self, copies: Sequence[Copy], *, removed: bool) -> None:
        """Copies of our guides, which the person may want to be moved away."""
        asked: dict[str, object] = {
            "name": "copies",
            "question": "Move copies of kg's guides away?",
            "accepted": removed,
        }
        files = [{"path": str(copy.path), "change": "remove", "written": removed, "diff": ""} for copy in copies]
        self.offers.append({**asked, "files": files})

    def record(self) -> Mapping[str, object]:
        """As JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "files": self.files,
            "refusals": self.refusals,
            "notes": self.notes,
            "backups": self.backups,
            "steps": self.steps,
            "offers": self.offers,
            "open": self.still_open,
        }

    def _kept(self, outcome: Outcome) -> None:
        self.notes += [{"path": str(note.path), "sentence": note.sentence} for note in outcome.notes]
        if outcome.backup is not None:
            self.backups.append(str(outcome.backup))


def diff(change: FileChange) -> str:
    """A change line by line, as a person or a program is told of it: without the secrets that kg recognises, which may
    be in what is written, and in what stands beside it.
    """
    return scrub(change.diff()).text


def _files(plan: Plan, done: Collection[Path] = ()) -> list[dict[str, object]]:
    return [
        {"path": str(change.path), "change": _kind(change), "written": change.path in done, "diff": diff(change)}
        for change in plan.changes
    ]


def _kind(change: FileChange) -> str:
    if change.before is None:
        return "create"
    return "remove" if change.after is None else "edit"


def _refusals(found: Plan | Outcome) -> list[dict[str, object]]:
    return [
        {"path": str(refusal.path), "reason": refusal.reason, "snippet": refusal.snippet} for refusal in found.refusals
    ]
