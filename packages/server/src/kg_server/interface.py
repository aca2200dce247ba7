"""What the web layer and the command line need of the service: frozen values and one protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kg_plugin_api import RawEvent, Unit
    from kg_server.keeping.keeping import Keeping


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as ``tools/list`` shows it to one harness."""

    name: str
    description: str
    input_schema: Mapping[str, object]
    annotations: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    meta: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool. ``session_hint`` names the shim process that forwards it, ``context_hint`` the context that
    this was told last, and ``cwd`` its working folder; all are empty without one.
    """

    name: str
    arguments: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    meta: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    harness: str = ""
    session_hint: str = ""
    context_hint: str = ""
    cwd: str = ""


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The answer to a call. ``delivery`` is to be acknowledged once the text has arrived; empty when it need not be.
    ``context`` is whose call it was, where the call itself did not say so.
    """

    text: str
    is_error: bool = False
    delivery: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class EventReply:
    """What a carrier prints for an event, in the client's own form, and the delivery to acknowledge. ``context`` is
    whose call of ours comes next, if this event tells.
    """

    output: str
    delivery: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What the start of a session would deliver now, its measure and the limit in the harness's unit."""

    text: str
    measure: int
    limit: int
    unit: Unit


class MemoryService(Protocol):
    """The service, as those who talk to it see it."""

    @property
    def keeping(self) -> Keeping:
        """What keeps the memory as files: imports, restores, deletions, copies, git."""
        ...

    async def event(self, harness: str, raw: RawEvent) -> EventReply:
        """Answers an event; an unknown harness or event gets an empty output."""
        ...

    async def call(self, call: ToolCall) -> ToolReply:
        """Answers a tool call; what is wrong with it is a reply with ``is_error``."""
        ...

    def acknowledge(self, delivery: str, arrived: bool) -> bool:
        """Settles a delivery; False when it is unknown or lapsed."""
        ...

    def tools(self, harness: str) -> Sequence[ToolSpec]:
        """The tools that this harness is shown."""
        ...

    def instructions(self, harness: str) -> str:
        """What a client is told about the tools as a whole."""
        ...

    def health(self) -> Mapping[str, object]:
        """How it is, as JSON-compatible facts."""
        ...

    async def preview(self, harness: str, cwd: str) -> Preview:
        """What the start of a session in ``cwd`` would deliver; changes nothing."""
        ...

    async def show(self, cwd: str, ids: Sequence[str]) -> Mapping[str, object]:
        """The memory of ``cwd``, or the nodes named; changes nothing."""
        ...

    async def search(
        self, cwd: str, query: str, *, depth: str = "", observer: str = "", observed: str = ""
    ) -> Mapping[str, object]:
        """Finds in the memory of ``cwd`` as deep as ``depth`` says; changes nothing. Raises INVALID for another one."""
        ...

    async def why(self, cwd: str, node_id: str, level: str) -> Mapping[str, object]:
        """Why a lesson of ``cwd`` is in sight or not, and what would bring it back; changes nothing."""
        ...

    async def why_recall(self, cwd: str, session: str, most: int) -> Mapping[str, object]:
        """Why something was brought to mind lately or was not, in a session or in the project of ``cwd``: the newest
        ``most`` decisions of each source; changes nothing.
        """
        ...

    async def show_map(self, cwd: str, path: str, component: str) -> Mapping[str, object]:
        """The map in force in ``cwd``, whole or for a file or a component; changes nothing."""
        ...

    async def check_map(self, cwd: str) -> Mapping[str, object]:
        """What of the map in force in ``cwd`` is wrong or overtaken; changes nothing."""
        ...

    async def confirm(self) -> bool:
        """Makes sure that no other server can have this memory; False when one has."""
        ...

    async def prepare(self) -> None:
        """Makes ready what every client asks first, in small steps."""
        ...

    def listening(self, port: int) -> None:
        """Tells whoever finds the storage taken where this server answers."""
        ...

    async def close(self) -> None:
        """Writes everything down and lets go of the storage."""
        ...
