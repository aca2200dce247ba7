"""A git folder that somebody put where everybody may write says nothing about what lies below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kg_core.store import Places
from kg_core.store.identity import locate
from kg_core.store.owners import _owner, _us

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", ["checkout", "bare"])
@pytest.mark.parametrize(
    ("folder_of", "git_of", "counts"),
    [(0, 2, False), (1, 2, False), (2, 2, True), (0, 1, True), (1, 0, True)],
)
def test_what_somebody_put_into_a_folder_of_others_makes_it_no_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, folder_of: int, git_of: int, counts: bool
) -> None:
    shared = tmp_path.resolve() / "shared"
    mine = shared / "mine"
    mine.mkdir(parents=True)
    git_folder = shared if kind == "bare" else shared / ".git"
    for folder in ("objects", "refs"):
        (git_folder / folder).mkdir(parents=True)
    (git_folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    owners = {shared: folder_of, shared / ".git": git_of, shared / "HEAD": git_of}
    monkeypatch.setattr("kg_core.store.owners._owner", lambda path: owners.get(path) if path.exists() else None)
    monkeypatch.setattr("kg_core.store.owners._us", lambda: 1)

    location = locate(mine, Places(tmp_path / "home", ()))

    assert location is not None
    assert location.root == (shared if counts else mine)


def test_the_owner_of_an_entry_is_its_own_and_no_other_is_ours(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "none")

    assert _owner(tmp_path) == _owner(tmp_path / "link") == _us()
    assert _owner(tmp_path / "none") is None
