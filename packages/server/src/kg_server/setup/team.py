"""A repository that shares its project's memory: the exchange copy, git's merge driver, and how both are undone."""

from __future__ import annotations

import asyncio
import hashlib
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.model.projectmap import FOLDER
from kg_core.store import is_text
from kg_plugin_api import Code, KgError, OwnedFile
from kg_server.keeping.apart import decline
from kg_server.keeping.exchange import FILE, trees, write_trees
from kg_server.keeping.git import Git, GitFailed
from kg_server.keeping.tree import own_file
from kg_server.setup.connection import SHARED, Records

if TYPE_CHECKING:
    from kg_core.claims import Editor, Outcome, Plan
    from kg_core.store import Home

DRIVER: Final = "merge.kg.driver"
NAME: Final = "merge.kg.name"
"""What the names of these records begin with."""
_TITLE: Final = "kg: lessons merged one by one"


@dataclass(frozen=True, slots=True)
class Team:
    """What ``kg setup --team`` does in one work tree, and takes back."""

    home: Home
    tree: Path

    @classmethod
    def around(cls, home: Home, cwd: Path) -> Team:
        """The work tree that ``cwd`` lies in. Raises INVALID when it lies in none, or in one that cannot take part."""
        try:
            top = asyncio.run(Git(cwd).run("rev-parse", "--show-toplevel"))
        except GitFailed as failure:
            sentence = f"{cwd} is in no work tree of git, through which memory is shared. Run this in one. ({failure})"
            raise KgError(Code.INVALID, sentence) from failure
        tree = Path(top.removesuffix("\n"))
        if not is_text(str(tree)):
            raise KgError(Code.INVALID, f"{tree} cannot take part: its name is not UTF-8. Rename the folder.")
        return cls(home, tree)

    @classmethod
    def all(cls, home: Home) -> tuple[Team, ...]:
        """Every work tree that takes part."""
        return tuple(cls(home, tree) for tree in trees(home))

    @property
    def copy(self) -> Path:
        """The exchange copy."""
        return self.tree / FOLDER / FILE

    @property
    def takes_part(self) -> bool:
        """Whether the work tree shares its memory."""
        return self.tree in trees(self.home) or bool(self._editor().plan_removal().changes)

    def plan(self) -> Plan:
        """What has to be written into the work tree, beside the copy itself. Raises INVALID for a link in its place."""
        attributes = OwnedFile(path=own_file(self.tree, ".gitattributes"), text=f"{FILE} merge=kg\n")
        return self._editor().plan([attributes])

    def settings(self) -> dict[str, str]:
        """The settings of the repository, by name."""
        return {NAME: _TITLE, DRIVER: driver()}

    def register(self) -> Outcome:
        """Writes the attributes and the settings, and lets the work tree take part. Raises UNAVAILABLE."""
        outcome = self._editor().apply(self.plan())
        try:
            for name, value in self.settings().items():
                self._git("config", "--local", name, value)
            write_trees(self.home, tuple(dict.fromkeys((*trees(self.home), self.tree))))
            decline(self.home, self.tree, is_declined=False)
        except OSError as failure:
            raise KgError(Code.UNAVAILABLE, f"{failure.filename} cannot be written ({failure.strerror}).") from failure
        return outcome

    def unregister(self) -> Outcome:
        """Takes all of it back. The copy stays: it belongs to the repository and to whoever else uses it."""
        rest = tuple(tree for tree in trees(self.home) if tree != self.tree)
        write_trees(self.home, rest)
        if self.tree.exists() and not any(self._shares_settings(tree) for tree in rest):
            for name in self.settings():
                self._forget(name)
        return self._editor().apply(self._editor().plan_removal())

    def decline(self) -> None:
        """Remembers that this work tree is not to take part: nobody is told of its copy. Raises UNAVAILABLE."""
        try:
            decline(self.home, self.tree, is_declined=True)
        except OSError as failure:
            raise KgError(Code.UNAVAILABLE, f"{failure.filename} cannot be written ({failure.strerror}).") from failure

    def to_commit(self, outcome: Outcome) -> tuple[str, ...]:
        """What :meth:`unregister` deleted that git still has: paths within the work tree."""
        gone = [str(path) for path in outcome.done if not path.exists()]
        asked = ("--literal-pathspecs", "ls-files", "-z", "--", *gone)
        try:
            kept = asyncio.run(Git(self.tree).run(*asked)) if gone else ""
        except GitFailed:
            return ()
        return tuple(filter(None, kept.split("\0")))

    def _shares_settings(self, tree: Path) -> bool:
        """Whether another work tree belongs to the same repository."""
        try:
            return _common(tree) == _common(self.tree)
        except GitFailed:
            return False

    def _forget(self, name: str) -> None:
        """Unsets one setting, unless somebody has given it another value or the repository is gone."""
        try:
            value = asyncio.run(Git(self.tree).run("config", "--local", "--get", name))
            if value.rstrip("\n") == self.settings()[name]:
                self._git("config", "--local", "--unset", name)
        except GitFailed:
            return

    def _git(self, *arguments: str) -> None:
        try:
            asyncio.run(Git(self.tree).run(*arguments))
        except GitFailed as failure:
            raise KgError(Code.UNAVAILABLE, f"{self.tree}: {failure}") from failure

    def _editor(self) -> Editor:
        name = hashlib.sha256(str(self.tree).encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return Records.at(self.home).of(f"{SHARED}{name}")


def driver() -> str:
    """The command that git runs; without kg, and for a file that is no graph, git merges lines as ever."""
    kg = f"{shlex.quote(sys.executable)} -I -m kg_server merge-driver %O %A %B"
    return f"{kg} || git merge-file %A %O %B"


def _common(tree: Path) -> Path:
    common = asyncio.run(Git(tree).run("rev-parse", "--git-common-dir")).removesuffix("\n")
    return (tree / common).resolve()
