"""What happens in a harness, in neutral form."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class EventKind(StrEnum):
    """The neutral kinds of event; every native event of a harness maps to one of them.

    ``SUBAGENT_STOP`` and ``SESSION_END`` say that a context is over for now; both may be taken up again.
    """

    SESSION_START = "session_start"
    PROMPT = "prompt"
    BEFORE_TOOL = "before_tool"
    AFTER_TOOL = "after_tool"
    COMPACT = "compact"
    SUBAGENT_START = "subagent_start"
    SUBAGENT_STOP = "subagent_stop"
    STOP = "stop"
    SESSION_END = "session_end"


class StartSource(StrEnum):
    """Why a session starts. A source that a client may invent later counts as ``STARTUP``."""

    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"

    @classmethod
    def of(cls, value: object) -> StartSource:
        """The source named by a payload; missing or unknown is ``STARTUP``."""
        try:
            return cls(value) if isinstance(value, str) else cls.STARTUP
        except ValueError:
            return cls.STARTUP


class Carrier(StrEnum):
    """The way an event or a call reaches the server."""

    MCP_HOOK = "mcp_hook"
    """The harness calls a tool on the running shim; the shim forwards the event."""
    HOOK_CLIENT = "hook_client"
    """The harness runs a small process per event."""
    MCP = "mcp"
    """An ordinary tool call of the model."""


class ToolKind(StrEnum):
    """What a native tool does, as far as memory cares."""

    READ = "read"
    EDIT = "edit"
    SHELL = "shell"
    OWN = "own"
    """One of kg's own MCP tools."""
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One use of a tool, before or after it ran.

    ``paths`` are the files that the call names, as the client wrote them; ``workdir`` is the folder in which it began,
    where that is not the event's ``cwd``. ``id`` is the client's id of the call, which its MCP call may carry too.
    """

    name: str
    kind: ToolKind = ToolKind.OTHER
    id: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""
    workdir: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEvent:
    """An event as it came in: the native name, the payload, and the ``_meta`` of an MCP-tool hook.

    ``part`` is which of the event's hooks it came from, counted from 1 (:attr:`EventSpec.parts`).
    """

    native: str
    carrier: Carrier
    payload: Mapping[str, object]
    meta: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    part: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened in a harness.

    ``session`` is the harness's own session id and ``agent`` the subagent's id, or empty for the main agent:
    together with the harness they name a context. ``prompt`` is what a person typed (or what a machine sent in
    a person's place, then ``machine`` is true). ``parent`` is the session that a fork comes from, when known.
    """

    kind: EventKind
    native: str
    session: str
    agent: str = ""
    agent_type: str = ""
    parent: str = ""
    cwd: str = ""
    source: StartSource = StartSource.STARTUP
    prompt: str = ""
    machine: bool = False
    tool: ToolUse | None = None
    transcript: str = ""
    model: str = ""
    trigger: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSpec:
    """How one native event is registered and what can come back with it.

    ``timeout`` is in seconds; a client's settings may count otherwise. ``template`` is what an MCP-tool hook
    sends (``${field}`` values, named only where they are always present); ``None`` for the hook client, which
    sends the payload whole. ``injects`` says whether a reply reaches the model; if not, ``delivered_by`` names
    the native event that carries queued text later, or is empty when nothing does. ``parts`` is as how many hooks a
    session's start may be registered, where the client limits the text of each hook and not that of all together.
    """

    native: str
    kind: EventKind
    carrier: Carrier
    timeout: float
    matcher: str = ""
    template: Mapping[str, object] | None = None
    injects: bool = True
    delivered_by: str = ""
    parts: int = 1

    def arguments(self, part: int = 1) -> dict[str, object]:
        """What the hidden tool is called with: ``event``, the native name, and ``payload``, the template; by a further
        hook of the same event also ``part``.
        """
        asked: dict[str, object] = {"event": self.native, "payload": dict(self.template or {})}
        return asked if part == 1 else {**asked, "part": part}
