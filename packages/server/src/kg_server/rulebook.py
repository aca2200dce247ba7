"""The map that is in force for a context, and files by their place in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.store import MapState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kg_core.store import Project, Store
    from kg_server.contexts import Context


MAP_PATIENCE: Final = 0.1
"""Seconds that an event or a call waits for files that say slowly whether they have changed."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Asks the store on behalf of contexts. A context without a project has no rules."""

    store: Store

    async def look(self, context: Context, patience: float | None = MAP_PATIENCE) -> MapState:
        """The map as its files say now, or as it is known after ``patience`` seconds."""
        project = self._project(context)
        return MapState() if project is None else await self.store.maps.look(project, context.cwd, patience)

    def known(self, context: Context) -> MapState:
        """The map as the last look found it."""
        project = self._project(context)
        return MapState() if project is None else self.store.maps.known(project, context.cwd)

    def place(self, context: Context, path: str, cwd: str = "") -> str:
        """A path relative to its work tree of the project, empty outside of it. A relative one is below ``cwd``, or
        else below the work tree of the context.
        """
        project = self._project(context)
        if project is None:
            return ""
        return self.store.maps.relative(project, path, cwd or self.known(context).tree)

    def files(self, context: Context, paths: Iterable[str], cwd: str) -> tuple[str, ...]:
        """Those of the paths that lie in the project, by their place in it, each once."""
        return tuple(dict.fromkeys(place for path in paths if (place := self.place(context, path, cwd))))

    @property
    def holds(self) -> bool:
        """Whether an edit is to wait for rules that have not been shown."""
        return self.store.settings.rules.hold

    def _project(self, context: Context) -> Project | None:
        if not context.project:
            return None
        projects = self.store.projects
        found = projects.resolve(context.cwd) if context.cwd else None
        if found is None or found.key != context.project:
            found = next((project for project in projects.all() if project.key == context.project), None)
        return found
