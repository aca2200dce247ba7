"""A harness: one coding agent's dialect, as data and two small protocols, plus optional ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api.events import Carrier, Event, EventSpec, RawEvent
    from kg_plugin_api.optional import (
        HistoryReader,
        InstructionChannel,
        QuotaReader,
        Refuser,
        Runner,
        TranscriptReader,
    )
    from kg_plugin_api.units import Limit
    from kg_plugin_api.wiring import Wiring


class Maturity(StrEnum):
    """How far a harness plug-in is verified."""

    STABLE = "stable"
    EXPERIMENTAL = "experimental"


class StartContext(StrEnum):
    """What becomes of earlier injected text when a session is resumed.

    ``PERSISTS``: it is still there, nothing is added twice by the client. ``REPLACED``: the start's text replaces
    the earlier one. ``ACCUMULATES``: it is still there, and new text is added beside it.
    """

    PERSISTS = "persists"
    REPLACED = "replaced"
    ACCUMULATES = "accumulates"


class Path(StrEnum):
    """Which kind of text is delivered."""

    PRELOAD = "preload"
    EVENT = "event"
    READ = "read"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLimit:
    """The limit of one path; ``carrier`` narrows it; ``limit`` None means that text passes whole."""

    path: Path
    limit: Limit | None
    carrier: Carrier | None = None


@dataclass(frozen=True, slots=True)
class Immediate:
    """A reply reaches the model with the event or call that asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """Long text waits for a later event, which hands out one packet at a time until it is acknowledged.

    A text within ``inline`` goes out at once. ``framing`` units of ``packet`` are kept for headers.
    """

    packet: Limit
    inline: Limit
    framing: int = 700


Delivery = Immediate | Queued


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who makes an MCP call, as its ``_meta`` tells.

    ``session`` and ``agent`` as in :class:`Event` where the client names them; else ``tool_use``, the id that a
    before-tool event of the same call carried. ``read_limit`` overrides the read path for this caller's model.
    """

    session: str = ""
    agent: str = ""
    tool_use: str = ""
    read_limit: Limit | None = None


class Dialect(Protocol):
    """Translates between the client and neutral values. Pure and total."""

    def parse(self, raw: RawEvent) -> Event | None:
        """The neutral event; ``None`` for junk and for events that do not concern memory. Never raises."""
        ...

    def reply(self, raw: RawEvent, text: str) -> str:
        """What the carrier must print so that ``text`` reaches the model; for ``""`` the client's empty reply."""
        ...

    def caller(self, meta: Mapping[str, object]) -> Caller:
        """Who makes the MCP call with this ``_meta``; an empty caller when it does not tell. Never raises."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """How the client is known on a machine and in an MCP handshake.

    ``clients`` are names in MCP ``clientInfo``. ``config_variable`` names the environment variable that moves
    the client's configuration folder, whose default is ``config_default`` below the home folder.
    """

    binaries: tuple[str, ...]
    clients: tuple[str, ...] = ()
    config_variable: str = ""
    config_default: str = ""
    version_arguments: tuple[str, ...] = ("--version",)
    tested_versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """One coding agent.

    ``tool_prefix`` is what this client puts before an MCP tool's name when it shows it to the model.
    ``tool_meta`` maps a tool name, or ``"*"`` for all, to the ``_meta`` that ``tools/list`` carries for this client.
    ``environment_to_strip`` are variable prefixes that a server started from this client must not inherit.
    """

    name: str
    title: str
    maturity: Maturity
    recognition: Recognition
    events: tuple[EventSpec, ...]
    start_context: StartContext
    limits: tuple[PathLimit, ...]
    dialect: Dialect
    wiring: Wiring
    delivery: Delivery = field(default_factory=Immediate)
    tool_prefix: str = ""
    tool_meta: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: MappingProxyType({}))
    environment_to_strip: tuple[str, ...] = ()
    transcripts: TranscriptReader | None = None
    runner: Runner | None = None
    quota: QuotaReader | None = None
    history: HistoryReader | None = None
    instructions: InstructionChannel | None = None
    refuser: Refuser | None = None

    def event(self, native: str) -> EventSpec | None:
        """The specification of a native event, if this harness registers it."""
        return next((spec for spec in self.events if spec.native == native), None)

    def limit(self, path: Path, carrier: Carrier) -> Limit | None:
        """The limit for a path over a carrier: the narrowest statement wins; ``None`` is whole."""
        fallback: Limit | None = None
        for stated in self.limits:
            if stated.path is not path:
                continue
            if stated.carrier is carrier:
                return stated.limit
            if stated.carrier is None:
                fallback = stated.limit
        return fallback
