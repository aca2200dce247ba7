"""The files that an event used, in all the ways in which lessons may name them."""

from __future__ import annotations

import asyncio
import os
import posixpath
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from kg_core.policy import FileUse, shell_folder
from kg_core.store import is_path
from kg_plugin_api import EventKind, ToolKind
from kg_server.files.named import named
from kg_server.files.renaming import Renaming
from kg_server.files.touched import Touched
from kg_server.rulebook import Rulebook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kg_core.model import GraphKey, Millis
    from kg_core.policy import TouchIndex
    from kg_core.store import Store
    from kg_plugin_api import Event, ToolUse
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
        self._looking: set[asyncio.Task[None]] = set()

    async def pointers(self, context: Context, event: Event) -> Mapping[GraphKey, TouchIndex]:
        """The pointers of the context's graphs, which are loaded; none for an event that uses no file.

        From the first event of a context on they are gathered, and where there are any, the renames of its work tree
        looked for, so that both are known when the first file is used.
        """
        tree = self._rulebook.known(context).tree
        if self._touched.begin(context.graphs):
            looking = asyncio.create_task(self._look(context, tree))
            self._looking.add(looking)
            looking.add_done_callback(self._looking.discard)
        elif self._may_follow(context, tree):
            self.renaming.look(tree)
        return await self._touched.ready(context.graphs, PATIENCE) if _names_files(event) else {}

    def of(self, context: Context, event: Event) -> tuple[FileUse, ...]:
        """The files that a tool has read or edited, or tried to, each once; none for other events."""
        if event.tool is None or not _names_files(event):
            return ()
        starts = _starts(event.tool, event.tool.workdir or event.cwd or context.cwd)
        found = (use for each in named(event.tool)[:_MOST] for use in self._use(context, each, starts))
        return tuple({use.name: use for use in found}.values())

    async def settled(self) -> None:
        """Waits for what is being gathered and looked for."""
        await asyncio.gather(*self._looking)
        await self.renaming.settled()

    async def close(self) -> None:
        """Ends what runs in the background."""
        for task in self._looking:
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)
        await self.renaming.close()
        await self._touched.close()

    def _use(self, context: Context, file: Named, starts: Sequence[str]) -> Iterator[FileUse]:
        written = self._written(file, starts)
        if written is None:
            return
        plain = os.path.normpath(written)
        above, name = os.path.split(plain)
        real = str(Path(os.path.realpath(above), name))
        relative = self._rulebook.place(context, plain)
        tree = real.removesuffix(f"/{relative}") if relative else ""
        former = self.renaming.names(tree, relative) if self._may_follow(context, tree) else ()
        spellings = dict.fromkeys((relative, real, plain, os.path.realpath(plain)))
        yield FileUse(
            name=relative or real,
            spellings=tuple(filter(None, spellings)),
            former=former,
            remaining=frozenset(
                folder for name in former for folder in _folders(name) if _is_folder(Path(tree, folder))
            ),
        )

    async def _look(self, context: Context, tree: str) -> None:
        await self._touched.ready(context.graphs)
        if self._may_follow(context, tree):
            self.renaming.look(tree)

    def _may_follow(self, context: Context, tree: str) -> bool:
        """Whether renames in this work tree can matter: git is not asked while no lesson points at a file."""
        return bool(tree) and self._touched.has_any(context.graphs) and os.path.lexists(Path(tree, ".git"))

    def _written(self, file: Named, starts: Sequence[str]) -> Path | None:
        """The path of a file as the tool means it; ``None`` when it names a folder, or when that is not certain."""
        below = file.path.startswith("~/")
        meant = [Path(self._home, file.path[2:])] if below else [Path(start, file.path) for start in starts]
        if not all(is_path(str(path)) for path in meant):
            return None
        try:
            if file.is_read_off:
                meant = [path for path in dict.fromkeys(meant) if path.is_file()]
            is_certain = len(meant) == 1 and meant[0].is_absolute() and not meant[0].is_dir()
        except OSError:  # a name that no file can have
            return None
        return meant[0] if is_certain else None


def _starts(tool: ToolUse, folder: str) -> tuple[str, ...]:
    """The folders in which a tool may have begun: of a command some clients tell where it ended instead."""
    ended = shell_folder(tool.command) if tool.kind is ToolKind.SHELL else ""
    tail = f"/{posixpath.normpath(ended)}" if ended and not ended.startswith(("/", "~")) else ""
    return (folder.removesuffix(tail) or "/", folder) if tail and folder.endswith(tail) else (folder,)


def _folders(name: str) -> list[str]:
    """The folders above a file, as parts of its own name."""
    return [str(folder) for folder in PurePosixPath(name).parents if folder.name]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # it lies where this user may not look
        return False


def _names_files(event: Event) -> bool:
    """Whether a tool ran that may have used files. One that failed counts: what is known of the file may say why."""
    return event.kind is EventKind.AFTER_TOOL and event.tool is not None
