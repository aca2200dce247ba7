"""Protocols that a harness may offer beyond the two that every harness has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path as FilePath

    from kg_plugin_api.claims import Claim
    from kg_plugin_api.events import RawEvent
    from kg_plugin_api.guides import Guide
    from kg_plugin_api.units import Limit
    from kg_plugin_api.wiring import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptView:
    """What the end of a transcript tells: the last human prompt with a key that changes with each prompt,
    and whether a compaction happened behind ``offset``.
    """

    prompt: str = ""
    prompt_key: str = ""
    compacted: bool = False


class TranscriptReader(Protocol):
    """For clients whose payloads carry no prompt or no sign of compaction. Core reads the file, this parses it."""

    @property
    def tail_bytes(self) -> int:
        """How much of the end of the file is needed at the most."""
        ...

    def view(self, tail: bytes, fresh: bytes) -> TranscriptView:
        """``tail`` is the end of the file, ``fresh`` what was added since the last look. Never raises."""
        ...


class Refuser(Protocol):
    """For clients in which a before-tool event can keep the tool from running and tell the model why."""

    def refuse(self, raw: RawEvent, reason: str) -> str:
        """What the carrier must print so that the tool use of this event does not take place and the model reads
        ``reason``; for an event that cannot refuse, the client's empty reply. Pure and total, like the dialect.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """One headless run of the client: argument vector, standard input, working folder, environment."""

    arguments: tuple[str, ...]
    stdin: str
    cwd: FilePath
    environ: Mapping[str, str]


class Runner(Protocol):
    """Runs the client headless for a chore, with nothing but kg's tools and without its hooks."""

    def command(self, prompt: str, tools: Sequence[str], cwd: FilePath, environ: Mapping[str, str]) -> RunCommand:
        """The command that runs ``prompt`` with exactly ``tools``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaWindow:
    """One usage window: name, share used (0–1), when it resets and when that was observed (epoch seconds)."""

    name: str
    used: float
    resets_at: float
    observed_at: float


class QuotaReader(Protocol):
    """Tells how much of the client's plan is used."""

    def windows(self, config: FilePath) -> Sequence[QuotaWindow]:
        """The windows known now; empty when nothing is known."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMessage:
    """One message of an earlier session; text injected by a memory is left out."""

    session: str
    role: str
    text: str
    at: str


class HistoryReader(Protocol):
    """Reads the client's own record of earlier sessions."""

    def messages(self, config: FilePath) -> Iterable[HistoryMessage]:
        """The messages, oldest session first."""
        ...


class InstructionChannel(Protocol):
    """Where the client looks for texts on how to work, and how much of one it shows to a model."""

    @property
    def description(self) -> Limit:
        """How long a description may be so that the model is shown all of it."""
        ...

    @property
    def body(self) -> Limit:
        """How long the rest of a text may be."""
        ...

    def claims(self, guides: Sequence[Guide], site: Site) -> Sequence[Claim]:
        """What must be on disk so that the client has these guides. They are within the limits. Pure, like a wiring."""
        ...

    def elsewhere(self, site: Site) -> Sequence[FilePath]:
        """Folders in which the client finds skills too, one folder each with a ``SKILL.md``: a copy of a guide that
        lies there is shown to the model a second time. Pure.
        """
        ...
