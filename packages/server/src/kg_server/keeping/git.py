"""git, run beside the loop with a deadline and without what an agent or a hook has put into its environment."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kg_core.store.identity import first_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SECONDS: Final = 60.0
"""How long one git command may take."""
_KEPT: Final = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")
_QUIET: Final = ("--no-optional-locks", "-c", "log.showSignature=false", "-c", "core.fsmonitor=false")
_OFFLINE: Final = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
"""What a partial clone lacks is not brought over the network, nor by a program that the repository names: a git that
does not know the first finds no transport allowed.
"""
_BUSY: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "index.lock")


class GitFailed(Exception):
    """A git command did not do what it should; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Git:
    """git in one folder, with these additions to its environment."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    async def run(self, *arguments: str) -> str:
        """What the command prints. Raises GitFailed, after the deadline too."""
        try:
            process = await asyncio.create_subprocess_exec(
                "git",
                *arguments,
                cwd=self.folder,
                env={**clean(os.environ), **self.environ},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise GitFailed(f"git cannot be run ({error.strerror}).") from error
        try:
            out, err = await asyncio.wait_for(process.communicate(), SECONDS)
        except TimeoutError as error:
            raise GitFailed(f"git {arguments[0]} took longer than {SECONDS:.0f} s.") from error
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            said = err.decode("utf-8", "replace").strip().splitlines() or ["nothing was said"]
            raise GitFailed(f"git {arguments[0]} failed: {said[-1]}.")
        return out.decode("utf-8", "surrogateescape")


async def quietly(folder: Path, *arguments: str) -> str:
    """What a git command prints that only looks: it changes, fetches and starts nothing. Raises GitFailed."""
    return await Git(folder, _OFFLINE).run(*_QUIET, *arguments)


def git_folder(work_tree: Path) -> Path | None:
    """The git folder of a work tree whose top this is; ``None`` when it is none."""
    dot_git = work_tree / ".git"
    if dot_git.is_dir():
        return dot_git
    pointed = first_line(dot_git)
    return work_tree / pointed.removeprefix("gitdir:").strip() if pointed.startswith("gitdir:") else None


def is_busy(git: Path) -> bool:
    """Whether a merge, a rebase or another command is under way in the work tree of this git folder."""
    return any((git / name).exists() for name in _BUSY)


def clean(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for git: nothing that points it elsewhere, and nobody to ask."""
    kept = {name: value for name, value in environ.items() if name in _KEPT or not name.startswith("GIT_")}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
