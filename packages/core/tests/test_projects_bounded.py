"""Folders that agents stand in once and never again leave little behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_core.store import Home, OsFiles, Places, Projects, footprints, projects
from kg_core.store.problems import Problems

FEW = 3


def repository(root: Path) -> str:
    """What is looked at of a checkout."""
    for folder in ("objects", "refs"):
        (root / ".git" / folder).mkdir(parents=True)
    (root / ".git" / "HEAD").touch()
    return str(root)


def opened(home: Home) -> Projects:
    found = Projects(home, OsFiles(), Places(Path("/home/nobody"), ()), lambda: 0)
    found.load(Problems())
    return found


def table(path: Path) -> dict[str, str]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(footprints, "MOST", FEW)
    monkeypatch.setattr(projects, "MOST_RESERVED", FEW)
    (tmp_path / "kg" / "state").mkdir(parents=True)
    return Home(tmp_path / "kg")


def test_of_many_checkouts_without_a_lesson_the_newest_are_remembered(home: Home, tmp_path: Path) -> None:
    registry = opened(home)
    for number in range(10):
        registry.resolve(repository(tmp_path / f"clone-{number}" / "app"))

    newest = [str(tmp_path / f"clone-{number}" / "app") for number in (7, 8, 9)]
    assert list(table(home.footprints)) == newest
    assert list(table(home.reserved).values()) == newest
    assert len(opened(home).all()) == FEW


def test_a_project_that_is_used_keeps_its_memory_and_is_known_again_when_it_moves(home: Home, tmp_path: Path) -> None:
    registry = opened(home)
    root = repository(tmp_path / "shop")
    key = registry.resolve(root).key
    registry.save(key)
    for number in range(10):
        registry.resolve(repository(tmp_path / f"clone-{number}" / "app"))
    again = opened(home)
    assert again.resolve(root).key == key

    (tmp_path / "shop").rename(tmp_path / "store")

    assert again.resolve(str(tmp_path / "store")).key == key
