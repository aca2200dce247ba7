"""A team's copy that a repository brings and that is not kept in step here: what to do about it, and who declined."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg_core.model.projectmap import FOLDER
from kg_core.store.identity import is_path, work_tree
from kg_server.keeping.exchange import FILE, listed_trees, trees, write_listed

if TYPE_CHECKING:
    from kg_core.store import Home, Places

_DECLINED: Final = "team-off.json"


def copy_apart(home: Home, places: Places, cwd: str) -> str:
    """What to do about the copy in the work tree around ``cwd``; empty where there is none, where a work tree of the
    same repository takes part, and where somebody has said that this one is not to.

    Blocking; nothing is read of the copy, which may be anybody's.
    """
    if not is_path(cwd) or not Path(cwd).is_absolute():
        return ""
    around = work_tree(Path(os.path.realpath(cwd)), places)
    if around is None:
        return ""
    tree, checkout = around
    copy = tree / FOLDER / FILE
    if copy.is_symlink() or copy.parent.is_symlink() or not copy.is_file() or tree in declined(home):
        return ""
    sharing = (work_tree(Path(os.path.realpath(each)), places) for each in trees(home))
    if any(each is not None and each[1].common == checkout.common for each in sharing):
        return ""
    return (
        f"{copy} holds lessons of a team and is not kept in step with this memory. If you trust the repository, run"
        f" `kg setup --team` in {tree}; with --off this is not said again."
    )


def declined(home: Home) -> tuple[Path, ...]:
    """The work trees that are not to take part, as somebody has said; none when nothing can be read. Blocking."""
    return listed_trees(home.state / _DECLINED)


def decline(home: Home, tree: Path, *, is_declined: bool) -> None:
    """Remembers that a work tree is not to take part, or that it is after all. Blocking; raises OSError."""
    known = declined(home)
    if (tree in known) != is_declined:
        rest = tuple(each for each in known if each != tree)
        write_listed(home, _DECLINED, (*rest, tree) if is_declined else rest)
