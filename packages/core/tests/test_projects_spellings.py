"""One folder that clients spell in several ways, as disks allow that ignore case or how an accent is composed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from kg_core.store import Home, OsFiles, Places, Projects, identity
from kg_core.store.maps import Maps
from kg_core.store.problems import Problems

if TYPE_CHECKING:
    from kg_core.store.disk import Disk


def repository(root: Path) -> Path:
    """What is looked at of a checkout."""
    for folder in ("objects", "refs"):
        (root / ".git" / folder).mkdir(parents=True)
    (root / ".git" / "HEAD").touch()
    (root / "docs").mkdir()
    return root


@pytest.fixture
def opened(tmp_path):
    """Opens the registry, each time as after a restart."""
    (tmp_path / "kg" / "state").mkdir(parents=True)

    def open_it(home: Path = Path("/home/nobody")) -> Projects:
        projects = Projects(Home(tmp_path / "kg"), OsFiles(), Places(home, ()), lambda: 0)
        projects.load(Problems())
        return projects

    return open_it


@pytest.fixture
def one_folder(monkeypatch):
    """Makes two spellings one folder, as a disk does that ignores case or how an accent is composed.

    A link stands in for such a disk: the system is not asked any more what a link leads to.
    """

    def make(path, spelling):
        if not spelling.exists():
            spelling.symlink_to(path)
        monkeypatch.setattr(identity, "_real", Path)
        return spelling

    return make


@pytest.mark.parametrize(("name", "spelling"), [("Shop", "shop"), ("caf\u00e9", "cafe\u0301")])
def test_a_folder_has_one_memory_however_its_name_is_spelt(opened, tmp_path, one_folder, name, spelling):
    root = repository(tmp_path / name)
    projects = opened()
    key = projects.resolve(str(root)).key
    projects.save(key)
    other = one_folder(root, tmp_path / spelling)

    found = projects.resolve(str(other / "docs"))

    assert (found.key, found.root) == (key, other)
    assert opened().resolve(str(other)).key == key
    assert [each.root for each in opened().all()] == [root]
    assert projects.left_behind(str(other)) == ""


def test_a_folder_outside_of_git_is_known_under_another_spelling_and_so_is_what_is_below_it(
    opened, tmp_path, one_folder
):
    (tmp_path / "Notes" / "deep").mkdir(parents=True)
    projects = opened()
    key = projects.resolve(str(tmp_path / "Notes")).key
    other = one_folder(tmp_path / "Notes", tmp_path / "notes")

    assert projects.resolve(str(other / "deep")).key == key


def test_folders_that_differ_in_case_are_two_where_the_disk_says_so(opened, tmp_path):
    one = repository(tmp_path / "Shop")
    if (tmp_path / "shop").exists():
        pytest.skip("this disk ignores case")
    other = repository(tmp_path / "shop")
    projects = opened()

    assert projects.resolve(str(one)).key != projects.resolve(str(other)).key


def test_the_home_is_no_project_under_another_spelling_either(opened, tmp_path, one_folder):
    (tmp_path / "Users" / "Ana").mkdir(parents=True)
    repository(tmp_path / "Users" / "Ana" / "work")
    other = one_folder(tmp_path / "Users", tmp_path / "users")
    projects = opened(home=tmp_path / "Users" / "Ana")

    assert projects.resolve(str(other / "Ana")) is None
    assert projects.resolve(str(other / "Ana" / "work")).slug == "work"


def test_a_memory_that_is_given_to_another_spelling_of_a_folder_leaves_the_folder_with_one(
    opened, tmp_path, one_folder
):
    root, lost = repository(tmp_path / "Shop"), repository(tmp_path / "lost")
    projects = opened()
    projects.save(projects.resolve(str(root)).key)
    wanted = projects.resolve(str(lost)).key
    projects.save(wanted)
    other = one_folder(root, tmp_path / "shop")

    projects.register("lost", other)

    assert projects.resolve(str(root)).key == wanted
    assert projects.resolve(str(other)).key == wanted
    assert opened().resolve(str(root)).key == wanted


def test_a_file_is_named_alike_however_the_folder_of_its_project_is_spelt(opened, tmp_path, one_folder, monkeypatch):
    root = repository(tmp_path / "Shop")
    project = opened().resolve(str(root))
    other = one_folder(root, tmp_path / "shop")
    monkeypatch.setattr(os.path, "realpath", os.path.abspath)
    maps = Maps(cast("Disk", None), Places(Path("/home/nobody"), ()), lambda: 0)

    assert maps.relative(project, str(other / "docs" / "a.md"), str(root)) == "docs/a.md"
    assert maps.relative(project, "docs/a.md", str(other)) == "docs/a.md"
