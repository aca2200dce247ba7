"""The map that ``kg map init`` begins in a repository."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from kg_core.policy.mapdraft import drafted, wanted
from kg_core.store import Places, is_text
from kg_core.store.identity import is_within, locate, work_tree
from kg_core.store.maps import FILE
from kg_core.store.maptext import map_text
from kg_plugin_api import Code, KgError
from kg_server.keeping.tree import files_of, own_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_core.store import Home

_MOST_READ: Final = 500
_MOST_BYTES: Final = 262_144
_HEAD: Final = """\
# The parts of this code base, and the rules for those who change them. kg shows an agent the rules that hold
# everywhere when a session starts, and a component's rules with the first of its files that it reads.
# Only write down a rule that would change an edit. `kg map check` finds what reaches nobody.

"""
_TAIL: Final = """
# A rule looks like this; without `component` it holds everywhere.
#
# [[constraint]]
# component = "%s"
# severity = "must"        # must, should or info
# title = "A few words"
# statement = "What to do, in one sentence."
# rationale = "Why."
# source = "docs/decisions/x.md"
"""


@dataclass(frozen=True, slots=True)
class Draft:
    """The proposed text for a file that is not there yet."""

    path: Path
    text: str
    count: int

    @classmethod
    def of(cls, home: Home, cwd: Path, environ: Mapping[str, str]) -> Self:
        """A map for the work tree around ``cwd``, else for that folder.

        Raises INVALID where no code base is, or none that git knows and nothing to make a component of, where the
        folder of the map leads elsewhere, and CONFLICT where a map is. Files whose names are not UTF-8 count for
        nothing: no map can name them.
        """
        places = Places.from_environ(environ)
        if locate(cwd, places) is None or Path(os.path.realpath(cwd)).is_relative_to(os.path.realpath(home.root)):
            raise KgError(
                Code.INVALID, f"{cwd} belongs to no code base: run this in a repository or a project's folder."
            )
        around = work_tree(Path(os.path.realpath(cwd)), places)
        tree = around[0] if around is not None else Path(os.path.realpath(cwd))
        path = own_folder(tree) / FILE
        if os.path.lexists(path):
            raise _there_already(path)
        files = tuple(filter(is_text, asyncio.run(files_of(tree)).files))
        components = drafted(files, _texts(tree, wanted(files)))
        if around is None and not components:
            sentence = f"{tree} is in no git repository, and nothing in it would become a component: run this in a"
            raise KgError(Code.INVALID, f"{sentence} repository or a project's folder.")
        example = components[0].slug if components else "auth"
        return cls(path, _HEAD + map_text(components) + _TAIL % example, len(components))

    def write(self) -> None:
        """Writes the file, never over another. Raises CONFLICT and UNAVAILABLE."""
        try:
            if not self.path.parent.is_dir():
                self.path.parent.mkdir()
            with self.path.open("x", encoding="utf-8") as file:
                file.write(self.text)
        except FileExistsError as error:
            raise _there_already(self.path if self.path.parent.is_dir() else self.path.parent) from error
        except OSError as error:
            raise KgError(Code.UNAVAILABLE, f"{self.path} cannot be written ({error.strerror}).") from error


def _there_already(path: Path) -> KgError:
    return KgError(Code.CONFLICT, f"{path} is there already, and nothing was changed.", {"path": str(path)})


def _texts(tree: Path, paths: list[str]) -> dict[str, str]:
    """What can be read of the files that lie in the work tree; those nearest to the top first."""
    found: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: (path.count("/"), path))[:_MOST_READ]:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            file = tree / path
            if is_within(file, tree) and file.is_file() and file.stat().st_size <= _MOST_BYTES:
                found[path] = file.read_text(encoding="utf-8-sig")
    return found
