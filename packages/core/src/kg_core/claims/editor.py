"""The settings editor: one record, one set of claims."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.claims.adopting import adopted
from kg_core.claims.files import Changed, OsFiles
from kg_core.claims.planning import held_by, make_plan, spots, states_of
from kg_core.claims.record import load
from kg_core.claims.recovery import settle
from kg_core.claims.report import ClaimStatus, Failure, Outcome
from kg_core.claims.sheet import ClaimState
from kg_core.claims.writing import Run
from kg_plugin_api.errors import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from kg_core.claims.files import Files
    from kg_core.claims.record import Record
    from kg_core.claims.report import Plan
    from kg_plugin_api.claims import Claim

ATTEMPTS: Final = 5
"""How often a run plans again because somebody wrote a file meanwhile."""

_RESTLESS: Final = "The files keep changing while they are written; try again."
_SENTENCES: Final = {
    ClaimState.PRESENT: "",
    ClaimState.MISSING: "It is not there.",
    ClaimState.FOREIGN: "Another value stands there: somebody changed it, or another installation of kg wrote it.",
    ClaimState.UNPARSABLE: "The file cannot be read or parsed.",
}


class Editor:
    """Puts claims into files and takes them out again.

    ``record`` is the file that remembers what is ours, ``backups`` the folder where each run keeps the originals of the
    files that it changes, in a folder of its own. Editors that share ``made`` keep no original of a file that one of
    them has made: it has none. While a run writes, ``alone`` keeps away all others that write the same files: of two
    at once, one forgets what the other has put there. Files below ``own`` are read by nobody but us: what somebody
    changed there and no claim wants is forgotten, while elsewhere it stays in the record as long as it is there. Making
    an editor does no I/O. All methods raise KgError(INVALID) when the record cannot be read or a claim cannot be
    written in any file.
    """

    def __init__(
        self,
        record: Path,
        backups: Path,
        *,
        files: Files | None = None,
        made: set[Path] | None = None,
        alone: Callable[[], AbstractContextManager[None]] = nullcontext,
        own: Path | None = None,
    ) -> None:
        self._record = record
        self._backups = backups
        self._made = set() if made is None else made
        self._files = OsFiles() if files is None else files
        self._alone = alone
        self._own = own

    def plan(self, claims: Iterable[Claim], left: Sequence[Claim] = ()) -> Plan:
        """What must be written so that the disk holds exactly these claims, besides what is not ours.

        What the record holds and ``claims`` no longer names is taken out. Where there is no record, as it was lost,
        what stands on disk just as ``left`` claims it is ours.
        """
        record, stored = self._load()
        if stored is None:
            record = adopted(left, self._files)
        plan = make_plan(claims, record, stored, self._files, self._own)
        return replace(plan, left=tuple(left))

    def plan_removal(self) -> Plan:
        """What must be written to take out all that is ours."""
        return self.plan(())

    def apply(self, plan: Plan) -> Outcome:
        """Writes the plan; a file that changed since is read and planned again, up to ATTEMPTS times.

        Interrupted at any instant, every file is either old or new, and the next plan goes on from there.
        """
        run = Run(self._files, self._record, self._backups, self._made)
        self._tidy(plan)
        if not plan.empty:
            with self._alone():
                plan = self._write(run, plan)
        return Outcome(
            done=tuple(dict.fromkeys(run.done)),
            failed=run.failed,
            open=tuple(run.open),
            refusals=plan.refusals,
            notes=plan.notes,
            backup=run.backup,
        )

    def status(self, claims: Iterable[Claim]) -> tuple[ClaimStatus, ...]:
        """How each claim stands on disk, in the order given."""
        wanted = tuple(claims)
        record, _ = self._load()
        found: dict[int, ClaimStatus] = {}
        for spot in spots(wanted, record, self._files):
            for claim, state, hold in zip(spot.claims, states_of(spot), held_by(spot), strict=True):
                ours = hold is not None and state is not ClaimState.MISSING
                found[id(claim)] = ClaimStatus(claim=claim, state=state, ours=ours, sentence=_SENTENCES[state])
        return tuple(found[id(claim)] for claim in wanted)

    def holds(self, claim: Claim) -> bool:
        """Whether the record says that what is at this claim's place is ours."""
        record, _ = self._load()
        return any(held is not None for spot in spots((claim,), record, self._files) for held in held_by(spot))

    def _write(self, run: Run, plan: Plan) -> Plan:
        """Writes the plan, or the one that it takes by then; returns that one."""
        for _ in range(ATTEMPTS):
            if plan.empty:
                return plan
            try:
                run.write(plan)
            except Changed:
                plan = self.plan(plan.goal, plan.left)
                continue
            return plan
        run.failed = Failure(path=self._record, sentence=_RESTLESS)
        run.open = [change.path for change in plan.changes]
        return plan

    def _tidy(self, plan: Plan) -> None:
        """Clears away what earlier runs that were killed left beside the files that they and this one are about."""
        record = load(plan.stored, self._record)
        names = {file.path for file in (*record.files, *plan.new.files)}
        names.update(record.intent.digests if record.intent is not None else ())
        places = {self._files.resolve(Path(name)) for name in names}
        for place in {self._record, *places, *(change.target for change in plan.changes)}:
            self._files.tidy(place)

    def _load(self) -> tuple[Record, bytes | None]:
        try:
            found = self._files.read(self._record)
        except OSError as error:
            sentence = f"{self._record} cannot be read ({error.strerror or error}), so what was set up cannot be told."
            raise KgError(Code.INVALID, sentence, {"path": str(self._record)}) from error
        stored = None if found is None else found.data
        return settle(load(stored, self._record), self._files), stored
