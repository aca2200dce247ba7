"""One harness on one machine: its claims, steps and offers, and how far each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_core.claims import Editor
from kg_plugin_api import StepState, StepStatus

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kg_core.claims import ClaimStatus, Outcome, Plan
    from kg_core.store import Home
    from kg_plugin_api import Claim, Harness, Offer, Site, Step


@dataclass(frozen=True, slots=True)
class Connection:
    """What connects a harness to kg. Nothing here asks or prints."""

    harness: Harness
    site: Site
    records: Records

    def claims(self) -> Sequence[Claim]:
        """What must be on disk."""
        return tuple(self.harness.wiring.claims(self.site))

    def plan(self) -> Plan:
        """What has to be written so that the claims are on disk."""
        return self.records.of(self.harness.name).plan(self.claims())

    def apply(self, plan: Plan) -> Outcome:
        """Writes a plan."""
        return self.records.of(self.harness.name).apply(plan)

    def standing(self) -> tuple[ClaimStatus, ...]:
        """How each claim stands on disk."""
        return self.records.of(self.harness.name).status(self.claims())

    def steps(self) -> Sequence[Step]:
        """What must be done through the client once the claims are on disk."""
        return tuple(self.harness.wiring.steps(self.site))

    def state(self, step: Step) -> StepStatus:
        """How far a step is."""
        try:
            return step.status(self.site)
        except Exception as failure:  # noqa: BLE001 - plug-in border: a step whose look fails is one we know nothing of
            return StepStatus(state=StepState.UNKNOWN, sentence=f"{type(failure).__name__}: {failure}")

    def offers(self) -> Sequence[Offer]:
        """What a person may want as well and does not have."""
        return tuple(offer for offer in self.harness.wiring.offers(self.site) if not self.accepted(offer).empty)

    def accepted(self, offer: Offer) -> Plan:
        """What has to be written when the person accepts an offer."""
        return self.records.of(self.harness.name, offer.name).plan(offer.claims)

    def accept(self, offer: Offer) -> Outcome:
        """Writes what an offer claims."""
        return self.records.of(self.harness.name, offer.name).apply(self.accepted(offer))


@dataclass(frozen=True, slots=True)
class Records:
    """The records of what was written for each harness, and for each offer that was accepted."""

    folder: Path
    backups: Path

    @classmethod
    def at(cls, home: Home) -> Records:
        """The records of a memory home."""
        return cls(home.state / "claims", home.state / "backups")

    def of(self, harness: str, offer: str = "") -> Editor:
        """The editor that keeps one record."""
        return self._editor(self.folder / (f"{harness}.{offer}.json" if offer else f"{harness}.json"))

    def all(self, harnesses: Sequence[str] = ()) -> dict[str, Editor]:
        """Every record there is, offers first, or only those of some harnesses: also of those whose plug-in is gone."""
        found = sorted(self.folder.glob("*.json"), key=lambda path: (path.stem.count(".") == 0, path.stem))
        return {
            path.stem: self._editor(path) for path in found if not harnesses or path.stem.partition(".")[0] in harnesses
        }

    def _editor(self, record: Path) -> Editor:
        return Editor(record, self.backups)
