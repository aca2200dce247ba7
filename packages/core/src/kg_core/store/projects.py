"""The registry of projects: which root has which memory. One resolver for hooks, tools, command line and editor."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.home import is_slug
from kg_core.model import PROJECT_PREFIX, GraphKey, project_key
from kg_core.model.ids import fold, is_legal, propose
from kg_core.store.failures import write_failure
from kg_core.store.files import replace_file
from kg_core.store.footprints import Footprints, is_gone
from kg_core.store.identity import Checkout, Location, Places, as_on_disk, is_path, is_same_folder, locate
from kg_core.store.registration import FILE, Registration
from kg_core.store.roots import Roots
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kg_core.home import Home
    from kg_core.model import Millis
    from kg_core.store.files import Files
    from kg_core.store.problems import Problems

REMEMBERED_FOR: Final = 2_000
"""Milliseconds for which a resolved folder is not looked at again."""
_REMEMBERED: Final = 1_000
"""Folders of which it is remembered where they belong."""
_SLUG_BYTES: Final = 120
MOST_RESERVED: Final = 1_000
"""Slugs that are kept for folders without a lesson, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A code base with a memory of its own. ``slug`` names its folder, ``key`` its graph."""

    slug: str
    root: Path
    key: GraphKey


class Projects:
    """Maps folders to projects. A project's folder comes with its first write; until then its slug is reserved.

    A checkout that was moved on its disk keeps its project. ``match_remotes`` makes folders with the same remote one
    project. ``later`` runs a blocking job off the loop.
    """

    def __init__(
        self,
        home: Home,
        files: Files,
        places: Places,
        clock: Callable[[], Millis],
        *,
        match_remotes: bool = False,
        later: Callable[[Callable[[], None]], object] = lambda job: job(),
    ) -> None:
        self._home = home
        self._own = Path(os.path.realpath(home.root))
        self._files = files
        self.places = places
        self._clock = clock
        self._match_remotes = match_remotes
        self._later = later
        self._footprints = Footprints(home.footprints, files, later)
        self._registered: dict[str, Registration] = {}
        self._by_root = Roots()
        self._resolved: dict[str, tuple[Millis, Project | None]] = {}
        self._located: dict[str, tuple[Millis, Location | None]] = {}

    def load(self, problems: Problems) -> None:
        """Reads all registrations. Blocking."""
        self._footprints.load()
        for slug in self._files.names(self._home.projects):
            if is_slug(slug):
                self._add(Registration.read(slug, self._home.project(slug) / FILE, self._files, problems))
        for slug, root in self._reservations():
            if slug not in self._registered and Path(root) not in self._by_root:
                self._add(Registration(slug, [Path(root)]))

    def resolve(self, cwd: str) -> Project | None:
        """The project of a folder; ``None`` when only the user's memory applies, as in the memory's own folders.

        Cheap, and creates nothing in it.
        """
        now = self._clock()
        known = self._resolved.get(cwd)
        if known is not None and 0 <= now - known[0] < REMEMBERED_FOR:
            return known[1]
        location = self._look(cwd)
        project = None if location is None else self._project(location)
        if len(self._resolved) >= _REMEMBERED:
            self._resolved.clear()
        self._resolved[cwd] = (now, project)
        return project

    def is_code_base(self, cwd: str) -> bool:
        """Whether a folder lies in a checkout or in a known root: where a project is more than a folder's name.

        Cheap, as :meth:`resolve` is.
        """
        location = self._locate(cwd)
        return location is not None and (location.checkout is not None or location.root in self._by_root)

    def _locate(self, cwd: str) -> Location | None:
        """Where a folder belongs, as it was when it was last looked at."""
        known = self._located.get(cwd)
        if known is not None and 0 <= self._clock() - known[0] < REMEMBERED_FOR:
            return known[1]
        return self._look(cwd)

    def _look(self, cwd: str) -> Location | None:
        location = None
        if is_path(cwd) and Path(cwd).is_absolute():
            location = locate(Path(as_on_disk(cwd)), self.places, self._by_root)
        if location is not None and location.root.is_relative_to(self._own):
            location = None
        if len(self._located) >= _REMEMBERED:
            self._located.clear()
        self._located[cwd] = (self._clock(), location)
        return location

    def all(self) -> tuple[Project, ...]:
        """Every project, by slug. ``root`` is the one it was last seen at."""
        return tuple(
            Project(slug=slug, root=known.roots[-1] if known.roots else Path(), key=project_key(slug))
            for slug, known in sorted(self._registered.items())
        )

    def left_behind(self, cwd: str) -> str:
        """What to do when the memory here is new and one of the same name has lost its folder; empty where none has.

        A memory that was brought from another machine has the folders of that machine, and nothing but their names and
        their remotes tells which code base here is one of them. Creates nothing.
        """
        location = self._locate(cwd)
        here = None if location is None else self._by_root.get(location.root)
        if location is None or (here is not None and here.saved):
            return ""
        before = self._footprints.former(location.root)
        if before is not None and before in self._by_root:
            return ""
        name, remotes = location.root.name, self._remotes(location)
        if self._match_remotes and self._with_remotes(remotes) is not None:
            return ""
        lost = [
            each
            for _, each in sorted(self._registered.items())
            if each.saved
            and each.roots
            and (remotes & set(each.remotes) or name in {root.name for root in each.roots})
            and all(map(is_gone, each.roots))
        ]
        if not lost:
            return ""
        path = self._home.project(lost[0].slug) / FILE
        others = f" (the like: {', '.join(each.slug for each in lost[1:])})" if lost[1:] else ""
        return (
            f"{location.root} has no memory yet, and the project {lost[0].slug!r} has one, but its folder"
            f" {lost[0].roots[-1]} is gone{others}. If it is the same code base, write its new folder into `roots` in"
            f" {path}, then `kg restart`."
        )

    def register(self, slug: str, root: Path) -> Project:
        """Gives the memory ``slug`` to ``root``: its folder was moved, or is to share it. Blocking.

        Raises NOT_FOUND when there is no such project and READ_ONLY or UNAVAILABLE when it cannot be saved.
        """
        known = self._registered.get(slug)
        if known is None:
            raise KgError(Code.NOT_FOUND, f"There is no project {slug!r}.", {"slug": slug})
        location = locate(root, self.places, self._by_root) or Location(root)
        former = self._attach(known, location)
        for each in (known, former):
            if each is not None:
                try:
                    self.save(project_key(each.slug))
                except OSError as error:
                    raise write_failure(error, self._home.project(each.slug)) from error
        return Project(slug=slug, root=location.root, key=project_key(slug))

    def adopt(self, slug: str, roots: Sequence[str], remotes: Sequence[str] = ()) -> Project:
        """The project of a memory that comes from elsewhere: the one that has one of these folders, else the one of
        that name if it has no other folders, else a new one. Its registration is saved with its first write.

        What is no absolute path names no folder of anybody.
        """
        paths = [Path(root) for root in roots if is_path(root) and Path(root).is_absolute()]
        known = next((self._by_root.get(root) for root in paths if root in self._by_root), None)
        if known is None:
            named = self._registered.get(slug)
            known = named if named is not None and not (named.roots and paths) else None
        if known is None:
            known = Registration(self._free(slug or "imported"), paths, list(remotes))
            self._add(known)
            self._forget()
        return Project(slug=known.slug, root=known.roots[-1] if known.roots else Path(), key=project_key(known.slug))

    def unsaved(self, key: GraphKey) -> bool:
        """Whether this is a project's graph whose registration is not on disk yet."""
        known = self._of(key)
        return known is not None and not known.saved

    def save(self, key: GraphKey) -> None:
        """Makes the registration of a project's graph durable. Blocking; raises OSError."""
        known = self._of(key)
        if known is not None:
            folder = self._home.project(known.slug)
            self._files.make_folder(folder)
            replace_file(self._files, folder / FILE, (known.text().encode("utf-8", "surrogateescape"),))
            known.saved = True

    def _of(self, key: GraphKey) -> Registration | None:
        return self._registered.get(key.removeprefix(PROJECT_PREFIX)) if key.startswith(PROJECT_PREFIX) else None

    def _project(self, location: Location) -> Project:
        known = self._by_root.get(location.root) or self._moved(location.root)
        if known is None and self._match_remotes:
            known = self._with_remotes(self._remotes(location))
        if known is None:
            known = Registration(self._free_slug(location))
            self._add(known)
        if location.root not in self._by_root:
            self._attach(known, location)
            self._reserve()
        self._footprints.note(self._by_root.known(location.root) or location.root)
        return Project(slug=known.slug, root=location.root, key=project_key(known.slug))

    def _remotes(self, location: Location) -> set[str]:
        return set() if location.checkout is None else set(location.checkout.remotes())

    def _with_remotes(self, remotes: set[str]) -> Registration | None:
        return next((each for each in self._registered.values() if remotes & set(each.remotes)), None)

    def _moved(self, root: Path) -> Registration | None:
        """The project whose checkout is at ``root`` now and no longer where it was, which is then forgotten."""
        before = self._footprints.former(root)
        known = self._by_root.pop(before) if before is not None else None
        if before is not None and known is not None:
            known.roots.remove(before)
            self._footprints.forget(before)
            self._attach(known, Location(root))
            self._later(partial(self._save_moved, project_key(known.slug)))
        return known

    def _save_moved(self, key: GraphKey) -> None:
        """Best effort: what cannot be saved now is saved with the next write, or found to have moved once more."""
        if self._files.names(self._home.graph(key).parent):
            with contextlib.suppress(OSError):
                self.save(key)

    def _attach(self, known: Registration, location: Location) -> Registration | None:
        """Makes the location's root one of ``known``; the registration that had it before, if another did."""
        former = self._by_root.pop(location.root)
        for each in filter(None, (former, known)):
            each.roots[:] = [root for root in each.roots if not is_same_folder(root, location.root)]
            each.saved = False
        known.roots.append(location.root)
        self._by_root[location.root] = known
        self._forget()
        for remote in location.checkout.remotes() if location.checkout is not None else ():
            if remote not in known.remotes:
                known.remotes.append(remote)
        return None if former is known else former

    def _forget(self) -> None:
        """The roots are others now: no folder belongs where it did for sure."""
        self._resolved.clear()
        self._located.clear()

    def _add(self, registration: Registration) -> None:
        self._registered[registration.slug] = registration
        for root in registration.roots:
            self._by_root.add(root, registration)

    def _free_slug(self, location: Location) -> str:
        """A slug that no other project has, on disks that ignore case either; the folder's own name where it can be."""
        name = location.root.name
        if isinstance(location.checkout, Checkout) and location.checkout.common == location.root:
            name = name.removesuffix(".git") or name
        return self._free(name)

    def _free(self, name: str) -> str:
        slug = propose(name)
        while len(slug.encode("utf-8")) > _SLUG_BYTES:
            slug = slug[:-1].rstrip("-._")
        taken = {fold(each) for each in self._registered}
        number = 1
        candidate = slug
        while fold(candidate) in taken:
            number += 1
            candidate = f"{slug}-{number}"
        return candidate

    def _reservations(self) -> Iterator[tuple[str, str]]:
        try:
            table = json.loads(self._files.read(self._home.reserved))
        except (OSError, ValueError, RecursionError):
            return
        if isinstance(table, dict):
            yield from (
                (str(slug), root) for slug, root in table.items() if is_legal(str(slug)) and isinstance(root, str)
            )

    def _reserve(self) -> None:
        """Remembers slugs that were handed out, best effort: a promise that is lost costs nothing but a number."""
        unsaved = [
            (each.slug, str(each.roots[-1])) for each in self._registered.values() if each.roots and not each.saved
        ]
        data = json.dumps(dict(unsaved[-MOST_RESERVED:])).encode("ascii")

        def write() -> None:
            with contextlib.suppress(OSError):
                replace_file(self._files, self._home.reserved, (data,))

        self._later(write)
