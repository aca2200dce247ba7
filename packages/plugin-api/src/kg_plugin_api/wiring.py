"""How a plug-in is connected to its client: where things are, what must be there, what only a person may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kg_plugin_api.claims import Claim
    from kg_plugin_api.events import EventSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a client starts the carriers on this machine; absolute, so one machine never gets two memories.

    ``shim`` is the argument vector of the MCP shim for this harness and ``hook`` maps a native event name to a
    POSIX shell command of the hook client. Both stay silent and exit 0 when the package is gone.
    ``hook_argv`` maps it to an argument vector instead, on machines without a POSIX shell (Windows); ``hook`` is then
    empty. A missing script is silent there too, a missing interpreter is for the client to report.
    ``event_tool`` is the name of the hidden tool that MCP-tool hooks call with :meth:`EventSpec.arguments`.
    ``whole`` says that a person wants all of the active memory when a session starts: an event is then registered as
    often as :meth:`parts` says, each time with the number of the part.
    """

    shim: tuple[str, ...]
    hook: Mapping[str, str]
    hook_argv: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    event_tool: str = "kg_event"
    version: str = ""
    whole: bool = False

    def parts(self, spec: EventSpec) -> range:
        """The parts for which an event is to be registered, counted from 1."""
        return range(1, 1 + (spec.parts if self.whole else 1))

    def shell(self, native: str, part: int = 1) -> str:
        """The shell command of ``hook`` for one part."""
        return self.hook[native] if part == 1 else f"{self.hook[native]} --part {part}"

    def argv(self, native: str, part: int = 1) -> tuple[str, ...]:
        """The argument vector of ``hook_argv`` for one part."""
        return self.hook_argv[native] if part == 1 else (*self.hook_argv[native], "--part", str(part))


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One machine's places for one harness.

    ``home`` is the folder of the memory, not the person's (that is ``environ["HOME"]``). ``config`` is the client's own
    configuration folder (from its environment variable, else its default), ``own`` a folder that belongs to this
    plug-in alone, ``binary`` the client's program when it was found.
    """

    home: Path
    config: Path
    own: Path
    launch: Launch
    binary: Path | None = None
    environ: Mapping[str, str]


class StepState(StrEnum):
    """How far a step is."""

    DONE = "done"
    OPEN = "open"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStatus:
    """State of a step, with a sentence for the person who reads ``kg doctor``."""

    state: StepState
    sentence: str = ""


class Step(Protocol):
    """Something that claims cannot do: it runs the client's own interface.

    ``needs_consent`` marks what only a person or an explicit flag may take (trust of hooks).
    ``explanation`` tells that person how to do it by hand, or with which command of kg.
    """

    @property
    def name(self) -> str:
        """A slug, unique in the harness."""
        ...

    @property
    def title(self) -> str:
        """One line for the list of steps."""
        ...

    @property
    def explanation(self) -> str:
        """How a person does it by hand."""
        ...

    @property
    def needs_consent(self) -> bool:
        """Whether it waits for a person or an explicit flag."""
        ...

    def status(self, site: Site) -> StepStatus:
        """How far it is. Never raises."""
        ...

    def take(self, site: Site) -> None:
        """Does it; may be repeated. Raises KgError with what failed and what to do."""
        ...

    def undo(self, site: Site) -> None:
        """Takes it back; may be repeated."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An optional change that set-up asks about, such as switching a client's own memory off."""

    name: str
    question: str
    claims: tuple[Claim, ...]


class Wiring(Protocol):
    """What connects the harness. All methods are pure but for the steps that they return."""

    def claims(self, site: Site) -> Sequence[Claim]:
        """What must be on disk; the same for the same site."""
        ...

    def steps(self, site: Site) -> Sequence[Step]:
        """What must be done through the client, in order, after the claims are on disk."""
        ...

    def offers(self, site: Site) -> Sequence[Offer]:
        """What a person may want as well."""
        ...


class SearchWiring(Protocol):
    """What ``kg setup --search NAME`` does for a search backend before the settings choose it."""

    def steps(self, home: Path, options: Mapping[str, str]) -> Sequence[SearchStep]:
        """The steps in order, from a memory home and the options given. Raises INVALID for an option that is wrong."""
        ...


class SearchStep(Protocol):
    """One step of setting a search backend up. The server may be running, with this backend too."""

    @property
    def title(self) -> str:
        """One line for the list of steps."""
        ...

    def status(self) -> StepStatus:
        """How far it is. Never raises."""
        ...

    def take(self, progress: Callable[[str], None]) -> None:
        """Does it, telling ``progress`` in short lines; may be repeated. Raises KgError with what to do."""
        ...
