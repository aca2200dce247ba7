"""The hooks of kg. A hook offers (called once, no I/O) or observes (called after the fact); none is async."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_plugin_api.markers import hookspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_plugin_api.events import Event
    from kg_plugin_api.harness import Harness
    from kg_plugin_api.host import Host
    from kg_plugin_api.observers import MemoryChange
    from kg_plugin_api.operations import Operation
    from kg_plugin_api.search import SearchBackendFactory


@hookspec
def kg_harnesses() -> Iterable[Harness]:  # type: ignore[empty-body]
    """Offers harnesses. Called once, when plug-ins are loaded; a failure is reported and leaves the others alone.

    .. versionadded:: 1.0
    """


@hookspec
def kg_search_backends() -> Iterable[SearchBackendFactory]:  # type: ignore[empty-body]
    """Offers search backends. Called once, when plug-ins are loaded; opening one happens later, in its factory.

    .. versionadded:: 1.0
    """


@hookspec
def kg_operations() -> Iterable[Operation]:  # type: ignore[empty-body]
    """Offers operations for the command line and ``/api/v1/plugins``. Called once, when plug-ins are loaded.

    .. versionadded:: 1.0
    """


@hookspec
def kg_memory_changed(change: MemoryChange) -> None:
    """Observes a change after it is durable. What it raises is reported and stops nobody else.

    .. versionadded:: 1.0
    """


@hookspec
def kg_event_seen(event: Event) -> None:
    """Observes an event of an agent that may bring text, once, before it is answered.

    In its prompt and its tool's command secrets are replaced by placeholders; a text of more than 20,000 characters
    is left out. Paths are as the client gave them.

    Everybody waits for it, so longer work belongs into a task. What it raises is reported and stops nobody else.

    .. versionadded:: 1.3
    """


@hookspec
def kg_serving(host: Host) -> None:
    """Hands over what a running server lends, once, before the server opens a search backend or runs an operation.

    .. versionadded:: 1.3
    """
