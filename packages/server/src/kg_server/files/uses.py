"""The files that an event used, in all the ways in which lessons may name them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.policy import FileUse
from kg_plugin_api import EventKind
from kg_server.files.named import named
from kg_server.files.renaming import Renaming
from kg_server.files.touched import Touched
from kg_server.rulebook import Rulebook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kg_core.model import GraphKey, Millis
    from kg_core.policy import TouchIndex
    from kg_core.store import Store
    from kg_plugin_api import Event
    from kg_server.contexts import Context
    from kg_server.files.named import Named

PATIENCE: Final = 0.05
"""Seconds that an event waits for pointers that are still being gathered."""
_MOST: Final = 8
"""So many files of one event are looked at."""


class Uses:
    """Finds the files of events, and the pointers to them. It looks where a file is, and never into it."""

    def __init__(self, store: Store, clock: Callable[[], Millis]) -> None:
        self.renaming = Renaming(clock)
        self._touched = Touched(store)
        self._rulebook = Rulebook(store)
        self._home = store.projects.places.home

    async def pointers(self, context: Context, event: Event) -> Mapping[GraphKey, TouchIndex]:
        """The pointers of the context's graphs, which are loaded; none for an event that uses no file.

        What such an event will want to know of the work tree is looked for meanwhile.
        """
        tree = self._rulebook.known(context).tree
        if tree and Path(tree, ".git").exists():
            self.renaming.look(tree)
        return await self._touched.ready(context.graphs, PATIENCE) if _names_files(event) else {}

    def of(self, context: Context, event: Event) -> tuple[FileUse, ...]:
        """The files that a tool has read or edited, each once; none for other events."""
        if event.tool is None or not _names_files(event):
            return ()
        folder = event.tool.workdir or event.cwd or context.cwd
        found = (use for each in named(event.tool)[:_MOST] for use in self._use(context, each, folder))
        return tuple({use.name: use for use in found}.values())

    async def close(self) -> None:
        """Ends what runs in the background."""
        await self.renaming.close()
        await self._touched.close()

    def _use(self, context: Context, file: Named, folder: str) -> Iterator[FileUse]:
        written = Path(self._home, file.path[2:]) if file.path.startswith("~/") else Path(folder, file.path)
        if "\0" in file.path or not written.is_absolute():
            return
        try:
            if written.is_dir() or (file.is_read_off and not written.is_file()):
                return
        except OSError:  # a name that no file can have
            return
        plain = os.path.normpath(written)
        above, name = os.path.split(plain)
        real = str(Path(os.path.realpath(above), name))
        relative = self._rulebook.place(context, plain)
        tree = real.removesuffix(f"/{relative}") if relative else ""
        former = self.renaming.names(tree, relative) if tree and Path(tree, ".git").exists() else ()
        spellings = dict.fromkeys((relative, real, plain, os.path.realpath(plain)))
        yield FileUse(name=relative or real, spellings=tuple(filter(None, spellings)), former=former)


def _names_files(event: Event) -> bool:
    """Whether a tool ran that may have used files."""
    return event.kind is EventKind.AFTER_TOOL and event.tool is not None and not event.tool.failed
