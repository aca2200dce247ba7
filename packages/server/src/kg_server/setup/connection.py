"""One harness on one machine: its claims, steps and offers, and how far each of them is."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from kg_core.claims import Editor
from kg_core.host import misfit
from kg_plugin_api import Claim, Code, KgError, Offer, Step, StepState, StepStatus
from kg_server.carrier.lock import FileLock
from kg_server.carrier.places import Places
from kg_server.guides import fitted, guides
from kg_server.setup.copies import found_in, put_away
from kg_server.setup.leftover import left_behind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from kg_core.claims import ClaimStatus, Outcome, Plan
    from kg_core.store import Home
    from kg_plugin_api import Harness, Site
    from kg_server.setup.copies import Copy
    from kg_server.setup.machine import Machine

Answer = TypeVar("Answer")

SHARED: Final = "team-"
"""How the records of shared projects begin."""
SEARCH: Final = "search-backend"
"""The record of the settings that choose a search backend."""
SERVICE_NAME: Final = "systemd"
"""The record of the unit that starts the server."""
_NO_AGENTS: Final = frozenset({SEARCH, SERVICE_NAME})
_LOCK_SECONDS: Final = 45.0


@dataclass(frozen=True, slots=True)
class Connection:
    """What connects a harness to kg. Nothing here asks or prints.

    Every method may raise UNAVAILABLE when the plug-in fails, and INVALID when a record cannot be read.
    """

    harness: Harness
    site: Site
    records: Records
    has_guides: bool = True

    @classmethod
    def of(cls, machine: Machine, harness: Harness, records: Records | None = None) -> Connection:
        """What connects a harness on this machine, with the guides unless the settings say otherwise.

        Those that one command writes share their ``records``.
        """
        has_guides = machine.settings.guides.enabled
        return cls(harness, machine.site(harness), records or Records.at(machine.memory), has_guides=has_guides)

    def claims(self) -> Sequence[Claim]:
        """What must be on disk."""
        return (*self._listed("claims", Claim, lambda: self.harness.wiring.claims(self.site)), *self._guides())

    def plan(self) -> Plan:
        """What has to be written so that the claims are on disk.

        What an earlier set-up of this memory put there is ours also when the record of it is lost.
        """
        name, claims = self.harness.name, self.claims()
        return self.records.of(name).plan(claims, left_behind(claims, self.site.home, name))

    def apply(self, plan: Plan) -> Outcome:
        """Writes a plan."""
        return self.records.of(self.harness.name).apply(plan)

    def standing(self) -> tuple[ClaimStatus, ...]:
        """How each claim stands on disk."""
        return self.records.of(self.harness.name).status(self.claims())

    def steps(self) -> Sequence[Step]:
        """What must be done through the client once the claims are on disk."""
        return self._listed("steps", Step, lambda: self.harness.wiring.steps(self.site))

    def take(self, step: Step) -> None:
        """Takes a step. Raises KgError with what failed and what to do."""
        self._asked(f"step {step.name}", lambda: step.take(self.site))

    def undo(self, step: Step) -> None:
        """Takes a step back. Raises KgError with what failed."""
        self._asked(f"step {step.name}", lambda: step.undo(self.site))

    def state(self, step: Step) -> StepStatus:
        """How far a step is."""
        try:
            return step.status(self.site)
        except (Exception, SystemExit) as failure:  # noqa: BLE001 - plug-in border: a step whose look fails is one we know nothing of
            return StepStatus(state=StepState.UNKNOWN, sentence=f"{type(failure).__name__}: {failure}")

    def offers(self) -> Sequence[Offer]:
        """What a person may want as well and does not have."""
        offered = self._listed("offers", Offer, lambda: self.harness.wiring.offers(self.site))
        return tuple(offer for offer in offered if not self.accepted(offer).empty)

    def accepted(self, offer: Offer) -> Plan:
        """What has to be written when the person accepts an offer."""
        return self.records.of(self.harness.name, offer.name).plan(offer.claims)

    def accept(self, offer: Offer) -> Outcome:
        """Writes what an offer claims."""
        return self.records.of(self.harness.name, offer.name).apply(self.accepted(offer))

    def copies(self) -> Sequence[Copy]:
        """Copies of our guides that lie where the client finds them too, and that are not ours."""
        channel = self.harness.instructions
        if channel is None:
            return ()
        folders = self._asked("folders of skills", lambda: tuple(channel.elsewhere(self.site)))
        ours = {claim.path for claim in self.claims()}
        return tuple(copy for folder in folders for copy in found_in(folder) if copy.path not in ours)

    def remove(self, copies: Sequence[Copy]) -> Path:
        """Moves copies out of the client's sight. Returns the folder that they are kept in."""
        return put_away(copies, self.records.backups)

    def _guides(self) -> tuple[Claim, ...]:
        """The guides in the client's own channel, if it has one and they are wanted."""
        channel = self.harness.instructions
        if channel is None or not self.has_guides:
            return ()

        def rendered() -> Iterable[Claim]:
            texts = [fitted(guide, channel.description, channel.body) for guide in guides(self.harness.tool_prefix)]
            return channel.claims(texts, self.site)

        return self._listed("guides", Claim, rendered)

    def _listed(self, what: str, kind: object, question: Callable[[], Iterable[Answer]]) -> tuple[Answer, ...]:
        """What the plug-in answers, each of the kind that was asked for."""

        def listed() -> tuple[Answer, ...]:
            values = tuple(question())
            for value in values:
                if wrong := misfit(value, kind):
                    raise TypeError(wrong)
            return values

        return self._asked(what, listed)

    def _asked(self, what: str, question: Callable[[], Answer]) -> Answer:
        """What the plug-in answers; a failure that it did not foresee becomes a sentence about the plug-in."""
        try:
            return question()
        except KgError:
            raise
        except (Exception, SystemExit) as failure:
            said = f"{type(failure).__name__}: {failure}"
            sentence = (
                f"The plug-in for {self.harness.name} failed at its {what} ({said}). `kg plugins` says whose it is."
            )
            raise KgError(Code.UNAVAILABLE, sentence) from failure


@dataclass(frozen=True, slots=True)
class Records:
    """The records of what was written for each harness, and for each offer that was accepted.

    ``made`` are the files that were made through them: what is changed in one of these later has no original to keep.
    """

    home: Home
    made: set[Path] = field(default_factory=set)

    @classmethod
    def at(cls, home: Home) -> Records:
        """The records of a memory home."""
        return cls(home)

    @property
    def folder(self) -> Path:
        """Where the records lie."""
        return self.home.state / "claims"

    @property
    def backups(self) -> Path:
        """Where the originals of what is changed through them are kept."""
        return self.home.state / "backups"

    def of(self, harness: str, offer: str = "") -> Editor:
        """The editor that keeps one record."""
        return self._editor(self.folder / (f"{harness}.{offer}.json" if offer else f"{harness}.json"))

    def all(self, harnesses: Sequence[str] = ()) -> dict[str, Editor]:
        """Every record there is, offers first, or only those of some harnesses: also of those whose plug-in is gone.

        Raises UNAVAILABLE when nobody may look where they lie.
        """
        try:
            there = [path for path in self.folder.iterdir() if path.suffix == ".json"]
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as failure:
            sentence = f"{self.folder} cannot be read ({failure.strerror}), so nobody can tell what kg has set up."
            raise KgError(Code.UNAVAILABLE, sentence) from failure
        found = sorted(there, key=lambda path: (path.stem.count(".") == 0, path.stem))
        return {
            path.stem: self._editor(path) for path in found if not harnesses or path.stem.partition(".")[0] in harnesses
        }

    def connected(self) -> tuple[str, ...]:
        """The agents that have something of ours in their settings. Raises as :meth:`all`."""
        names = dict.fromkeys(stem.partition(".")[0] for stem in self.all())
        return tuple(name for name in names if name not in _NO_AGENTS and not name.startswith(SHARED))

    def _editor(self, record: Path) -> Editor:
        return Editor(record, self.backups, made=self.made, alone=self._alone, own=self.home.root)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Lets one process at a time write what is recorded here. Raises UNAVAILABLE when another does not end."""
        with contextlib.suppress(OSError):  # the run says what cannot be written, and where
            Places(str(self.home.root)).prepare()
        lock = FileLock(str(self.home.state / "claims.lock"))
        if not lock.acquire(time.monotonic() + _LOCK_SECONDS) and lock.failure is None:
            sentence = f"Another command has been writing the settings of agents for {_LOCK_SECONDS:.0f} s."
            raise KgError(Code.UNAVAILABLE, sentence)
        try:
            yield
        finally:
            lock.release()
