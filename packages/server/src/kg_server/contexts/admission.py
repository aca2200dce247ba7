"""Gives every event and every call its context, and every context its project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kg_core.store import is_path
from kg_plugin_api import Code, EventKind, KgError
from kg_server.contexts.key import ContextKey
from kg_server.contexts.start import Entrance, entrance
from kg_server.turned_off import lies_off

if TYPE_CHECKING:
    from kg_core.model import GraphKey, Millis
    from kg_core.store.settings import ProjectSettings
    from kg_plugin_api import Caller, Event, Harness
    from kg_server.contexts.binding import Bindings
    from kg_server.contexts.context import Context
    from kg_server.contexts.registry import Registry


class Project(Protocol):
    """A code base that has a memory."""

    @property
    def key(self) -> GraphKey:
        """The key of its graph."""
        ...


class Projects(Protocol):
    """Finds the project of a folder."""

    def resolve(self, cwd: str) -> Project | None:
        """The project that ``cwd`` lies in; ``None`` where only user memory applies."""
        ...

    def is_code_base(self, cwd: str) -> bool:
        """Whether ``cwd`` lies in a checkout or in a folder that is known as a project's, not just anywhere."""
        ...


class Admission:
    """Registers, finds and places contexts. Synchronous: two events of one session cannot register it twice."""

    def __init__(self, registry: Registry, bindings: Bindings, projects: Projects, settings: ProjectSettings) -> None:
        self._registry = registry
        self._bindings = bindings
        self._projects = projects
        self._settings = settings

    def of_event(
        self, harness: Harness, event: Event, *, sequence: int, now: Millis, compacted: bool = False
    ) -> tuple[Context, Entrance]:
        """The context of an event, registered or reset where the event says so, or where its transcript does
        (``compacted``).
        """
        key = ContextKey(harness.name, event.session, event.agent)
        known = self._registry.find(key)
        how = entrance(known, event, harness.start_context, now, compacted=compacted)
        if known is None or how is Entrance.OPEN:
            context = self._registry.open(key, now=now, sequence=sequence)
        elif how is Entrance.RESET:
            context = self._registry.reset(known.id, now)
        else:
            context = known
        self._place(context, event.cwd)
        self._follow(context, event.cwd)
        self._registry.hear(context.id)
        if event.kind is EventKind.SESSION_START:
            self._registry.announce(context.id)
        return self._registry.touch(context.id, now), how

    def of_call(
        self,
        harness: Harness,
        caller: Caller,
        *,
        session_id: str,
        introduces: bool,
        shim: str,
        last: str,
        cwd: str,
        attaches: bool,
        sequence: int,
        now: Millis,
    ) -> Context:
        """The context of an MCP call, registered if need be.

        Where nothing tells, it is that of ``shim``, or the ``last`` one that a server before this one told it.

        A call that ``introduces`` a client which nothing tells apart gets a new context, whose id it is given. One that
        ``attaches`` names ``cwd`` on purpose: it gives a context that has no project the one of that folder. A
        ``session_id`` is that of a context, or the client's own name of the session where events tell it too. Raises
        NOT_FOUND for one that is not known and INVALID for a relative ``cwd``.
        """
        if cwd and not (is_path(cwd) and Path(cwd).is_absolute()):
            raise KgError(Code.INVALID, f"cwd must be an absolute path, and {cwd[:200]!r} is none.", {"cwd": cwd[:200]})
        key = self._bindings.resolve(harness.name, caller, shim)
        if key is None and session_id and harness.events and not self._registry.knows(session_id):
            key = ContextKey(harness.name, session_id)
        if key is None and session_id:
            context = self._registry.get(session_id)
            if context is None:
                raise KgError(
                    Code.NOT_FOUND,
                    f"The session_id {session_id!r} is not known; one ends 24 hours after its last use. "
                    "Call kg_read without it to get a new one.",
                    {"session_id": session_id},
                )
        else:
            key = key or self._bindings.fallback(harness.name, shim, self._registry.get(last), is_new=introduces)
            context = self._registry.find(key) or self._registry.open(key, now=now, sequence=sequence)
        self._place(context, cwd)
        if attaches:
            self._attach(context.id, cwd)
        return self._registry.touch(context.id, now)

    def _follow(self, context: Context, cwd: str) -> None:
        """Gives a context of user memory alone the project of the code base in which it goes on working."""
        is_elsewhere = context.placed and not context.project and cwd not in {"", context.cwd}
        if is_elsewhere and self._projects.is_code_base(cwd):
            self._attach(context.id, cwd)

    def _attach(self, context_id: str, cwd: str) -> None:
        """Gives a context of user memory alone a project; one that has a project, or none on purpose, stays so."""
        context = self._registry.get(context_id)
        if context is None or context.project or lies_off(self._settings, context.cwd):
            return
        project = self._projects.resolve(cwd)
        if project is not None:
            self._registry.place(context_id, cwd, project.key)

    def _place(self, context: Context, cwd: str) -> None:
        """Decides the project, once: a subagent's is that of its session, else that of the folder."""
        if context.placed:
            return
        parent = self._registry.find(context.key._replace(agent="")) if context.key.agent else None
        if parent is not None and parent.placed:
            self._registry.place(context.id, cwd or parent.cwd, parent.project)
        elif cwd and Path(cwd).is_absolute():
            project = self._projects.resolve(cwd)
            self._registry.place(context.id, cwd, project.key if project is not None else "")
