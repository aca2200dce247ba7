"""The memory folder as a git repository: what the memory holds is committed from time to time, and nothing else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from kg_core.store import ProblemKind
from kg_server.keeping.git import Git, GitFailed, git_folder, is_busy

if TYPE_CHECKING:
    from kg_core.store import Entry, Home, Store

PATHS: Final = (
    "user.json",
    "maintain.json",
    "projects/*/graph.json",
    "projects/*/project.toml",
    "projects/*/map.toml",
    "archive/user.json",
    "archive/maintain.json",
    "archive/projects/*/graph.json",
    ".gitignore",
)
"""What is committed, as patterns below the memory folder."""
_NAMED: Final = 5
_OURS: Final = ("-c", "commit.gpgsign=false")
"""Nobody is there who could type the passphrase of a signing key."""


class GitCommits:
    """Commits the memory folder when it is the top of a work tree of its own."""

    def __init__(self, home: Home, store: Store) -> None:
        self._home = home
        self._store = store
        self._changed: dict[str, None] = {}
        self.problem = ""
        """Why the last attempt failed, in a sentence."""
        self._alone = asyncio.Lock()
        store.subscribe(self._follow)

    @property
    def is_behind(self) -> bool:
        """Whether something was written since the last commit."""
        return bool(self._changed)

    async def commit(self) -> bool:
        """Brings the files up to date and commits what has changed; whether there was something to commit.

        Failing is a problem that health, doctor and the next session tell, and is tried again next time.
        """
        folder = self._home.memory
        git = git_folder(folder)
        self.problem = ""
        if git is None:
            return False
        if is_busy(git):
            self.problem = f"git is at work in {folder}: finish that first."
            return False
        async with self._alone:
            try:
                await self._store.look()
                if self._store.settling():
                    self.problem = f"A file in {folder} is being written at this moment: try again in a few seconds."
                    return False
                await self._store.snapshot()
                changed = self._changed
                self._changed = {}
                done = await self._commit(Git(folder), message(list(changed)))
            except GitFailed as failure:
                self._changed = {**changed, **self._changed}
                self.problem = f"The memory was not committed to its git repository {folder}: {failure}"
                self._store.report(ProblemKind.BESIDE, folder, self.problem)
                return False
            self._store.solved(ProblemKind.BESIDE, folder)
            return done

    async def _commit(self, git: Git, text: str) -> bool:
        known = [f":(glob){path}" for path in PATHS]
        status = await git.run("status", "--porcelain", "-z", "--untracked-files=all", "--", *known)
        paths = _paths(status)
        if not paths:
            return False
        # Untracked files must be named to git once; the commit takes these paths alone, whatever else is staged.
        await git.run("add", "--", *paths)
        await git.run(*_OURS, *await _author(git), "commit", "--quiet", "--only", "-m", text, "--", *paths)
        return True

    def _follow(self, entry: Entry) -> None:
        for change in entry.changes:
            self._changed.update(dict.fromkeys(change.nodes))


def message(changed: list[str]) -> str:
    """What a commit is called: the lessons that changed, the first of them by name."""
    if not changed:
        return "Save the memory"
    named = ", ".join(changed[:_NAMED])
    rest = len(changed) - _NAMED
    return f"Save {named}" + (f" and {rest} more" if rest > 0 else "")


async def _author(git: Git) -> tuple[str, ...]:
    """Who commits: the person, or kg where git does not know the person."""
    try:
        await git.run("var", "GIT_COMMITTER_IDENT")
        await git.run("config", "user.email")
    except GitFailed:
        return ("-c", "user.name=kg", "-c", "user.email=kg@localhost")
    return ()


def _paths(status: str) -> list[str]:
    """The paths of ``git status --porcelain -z``; of a rename both."""
    paths: list[str] = []
    entries = iter(status.split("\0"))
    for entry in entries:
        if entry:
            paths.append(entry[3:])
            if "R" in entry[:2] or "C" in entry[:2]:
                paths.append(next(entries, ""))
    return [path for path in paths if path]
