"""Search in Postgres: by words and by meaning. It holds an index of the memory and nothing else.

Loading this plug-in imports no driver and no model: that is left to opening the backend and to running an operation.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Argument, Code, EventKind, KgError, Operation, SearchBackendFactory, hookimpl
from kg_search_pg.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kg_plugin_api import Event, Host, SearchBackend, SearchStep

__all__ = ["PG", "kg_event_seen", "kg_operations", "kg_search_backends", "kg_serving"]

_DESK: Final = Desk()
"""One process runs one server, and that at most one backend of this name."""


async def _open(options: Mapping[str, str]) -> SearchBackend:
    from kg_search_pg.opening import open_backend
    from kg_search_pg.options import Options

    _DESK.problem = ""
    try:
        _DESK.options = Options.parse(options)
        _DESK.backend = await open_backend(_DESK.options, host=_DESK.host)
    except KgError as failure:
        _DESK.problem = failure.sentence
        raise
    return _DESK.backend


def _has_documents(options: Mapping[str, str]) -> bool:
    from kg_search_pg.documents import Sources
    from kg_search_pg.options import Options

    return bool(Sources.of(Options.parse(options).home).load())


class _Wiring:
    def steps(self, home: Path, options: Mapping[str, str]) -> Sequence[SearchStep]:
        from kg_search_pg.wiring import steps

        return steps(home, options)


def _operation(name: str, help_: str, *, changes: bool = False) -> Operation:
    async def run(_: Mapping[str, object]) -> Mapping[str, object]:
        try:
            told: Mapping[str, object] = await getattr(importlib.import_module("kg_search_pg.operations"), name)(_DESK)
        except TimeoutError as error:
            raise KgError(Code.UNAVAILABLE, f"{error}. Try again in a moment.") from error
        return told

    return Operation(name=name, help=help_, arguments=(), run=run, changes=changes)


def _of_documents(name: str, help_: str, *arguments: Argument, changes: bool = True) -> Operation:
    async def run(given: Mapping[str, object]) -> Mapping[str, object]:
        told: Mapping[str, object] = await getattr(importlib.import_module("kg_search_pg.documents.operations"), name)(
            _DESK, given
        )
        return told

    return Operation(name=f"docs {name}", help=help_, arguments=arguments, run=run, changes=changes)


_FOLDER: Final = Argument(name="folder", help="The folder.", required=True, positional=True, path=True)
_EVERYWHERE: Final = Argument(name="everywhere", help="Find them from every project, not only from theirs.", flag=True)


PG: Final = SearchBackendFactory(
    name="pg",
    title="Postgres, by words and by meaning",
    open=_open,
    wiring=_Wiring(),
    has_documents=_has_documents,
)


@hookimpl
def kg_search_backends() -> tuple[SearchBackendFactory, ...]:
    """Offers the backend ``pg``."""
    return (PG,)


@hookimpl
def kg_operations() -> tuple[Operation, ...]:
    """Offers what a person may ask of the backend, and have it do."""
    return (
        _operation("status", "Show what is indexed, by which model, how much is left to do, and how large it is."),
        _operation("doctor", "Say what is wrong with Postgres, the index or what embeds, and what mends it."),
        _operation("calibrate", "Measure at which distance this model tells the same from something else."),
        _operation("misses", "Show the questions that nothing answered, where the settings have them written down."),
        _operation("reindex", "Drop the index, vectors too; the server builds it anew.", changes=True),
        _of_documents("add", "Index the Markdown of a folder, or look at it again.", _FOLDER, _EVERYWHERE),
        _of_documents("status", "Show whose documents are indexed, and what is left out.", changes=False),
        _of_documents("remove", "Forget the documents of a folder.", _FOLDER),
    )


@hookimpl
def kg_serving(host: Host) -> None:
    """Keeps what the server lends until it opens the backend."""
    _DESK.host = host


@hookimpl
def kg_event_seen(event: Event) -> None:
    """Looks again at the documents of a folder in which a session starts."""
    if event.kind is EventKind.SESSION_START and _DESK.backend is not None and not _DESK.backend.is_closed:
        documents = _DESK.backend.documents
        if documents is not None:
            documents.refresh(event.cwd)
