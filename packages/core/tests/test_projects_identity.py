"""Which code base a folder belongs to: a world of git checkouts, looked at without git."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from kg_core.store import Home, OsFiles, Places, Projects, normalised_remote
from kg_core.store.footprints import footprint
from kg_core.store.identity import locate
from kg_core.store.problems import Problems


def git(*arguments, cwd):
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(cwd),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@localhost",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@localhost",
    }
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments],
        cwd=cwd,
        env=environ,
        check=True,
        capture_output=True,
    )


def repository(path):
    path.mkdir(parents=True)
    git("init", "-q", cwd=path)
    (path / "docs" / "models").mkdir(parents=True)
    (path / "docs" / "models" / "a.txt").write_text("x", encoding="utf-8")
    git("add", ".", cwd=path)
    git("commit", "-q", "-m", "first", cwd=path)
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A home with checkouts of every kind."""
    home = tmp_path_factory.mktemp("world").resolve() / "home"
    work = home / "work"
    main = repository(work / "app")
    git("worktree", "add", "-q", str(work / "app-feature"), "-b", "feature", cwd=main)
    relative = work / "app-relative"
    git("worktree", "add", "-q", str(relative), "-b", "relative", cwd=main)
    pointer = Path((relative / ".git").read_text("utf-8").removeprefix("gitdir:").strip())
    (relative / ".git").write_text(f"gitdir: {os.path.relpath(pointer, relative)}\n", encoding="utf-8")
    repository(home / "origins" / "lib")
    git("submodule", "--quiet", "add", str(home / "origins" / "lib"), "lib", cwd=main)
    git("worktree", "add", "-q", str(work / "lib-feature"), "-b", "f", cwd=main / "lib")
    bare = work / "store.git"
    git("clone", "-q", "--bare", str(main), str(bare), cwd=home)
    git("worktree", "add", "-q", str(work / "bare-tree"), "main", cwd=bare)
    hidden = work / "hidden"
    hidden.mkdir()
    git("clone", "-q", "--bare", str(main), str(hidden / ".bare"), cwd=home)
    (hidden / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git("worktree", "add", "-q", str(hidden / "tree"), "main", cwd=hidden / ".bare")
    repository(work / "gone")
    git("worktree", "add", "-q", str(work / "gone-tree"), "-b", "t", cwd=work / "gone")
    (work / "gone").rename(work / "gone-elsewhere")
    (work / "plain" / "deep").mkdir(parents=True)
    (work / "empty-git" / ".git").mkdir(parents=True)
    (work / "link").symlink_to(main / "docs")
    temporary = home.parent / "temporary"
    (temporary / "x").mkdir(parents=True)
    repository(temporary / "checkout")
    (home / ".dotfiles").mkdir()
    return home


PLACES = [
    ("work/app", "work/app"),
    ("work/app/docs/models", "work/app"),
    ("work/app/.git/hooks", "work/app"),
    ("work/app-feature", "work/app"),
    ("work/app-feature/docs", "work/app"),
    ("work/app-relative/docs", "work/app"),
    ("work/app/lib", "work/app/lib"),
    ("work/app/lib/docs/models", "work/app/lib"),
    ("work/lib-feature/docs", "work/app/lib"),
    ("work/store.git", "work/store.git"),
    ("work/bare-tree/docs", "work/store.git"),
    ("work/hidden", "work/hidden"),
    ("work/hidden/tree/docs", "work/hidden"),
    ("work/gone-tree/docs", "work/gone"),
    ("work/link", "work/app"),
    ("work/link/models", "work/app"),
    ("work/app/deleted/long/ago", "work/app"),
    ("work/plain", "work/plain"),
    ("work/plain/deep", "work/plain/deep"),
    ("work/empty-git", "work/empty-git"),
    ("../temporary/checkout/docs", "../temporary/checkout"),
    (".", None),
    ("..", None),
    ("../temporary", None),
    ("../temporary/x", None),
    ("../temporary/x/deleted", None),
    ("/", None),
]


def places_of(world):
    return Places(world, (world.parent / "temporary", world.parent))


@pytest.mark.parametrize(("cwd", "root"), PLACES)
def test_a_folder_belongs_to(world, cwd, root):
    location = locate(world / cwd, places_of(world))
    assert (location and location.root) == (root and (world / root).resolve())


def test_a_checkout_that_is_the_home_itself_makes_no_project_of_it(tmp_path):
    home = repository(tmp_path / "home")
    places = Places(home, ())
    assert locate(home, places) is None
    location = locate(home / "docs", places)
    assert location is not None
    assert location.root == home / "docs"


def test_a_work_tree_of_such_a_checkout_is_a_folder_of_its_own(tmp_path):
    home = repository(tmp_path / "home")
    git("worktree", "add", "-q", str(home / "work" / "tree"), "-b", "b", cwd=home)

    location = locate(home / "work" / "tree", Places(home, ()))

    assert location is not None
    assert location.root == home / "work" / "tree"
    assert location.checkout is None


def test_no_repository_makes_itself_pass_for_another_one(tmp_path):
    victim = repository(tmp_path / "home" / "work" / "victim")
    hostile = tmp_path / "home" / "work" / "hostile"
    folder = hostile / "looks-bare"
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / "config").write_text(f"[core]\n\tworktree = {victim}\n", encoding="utf-8")
    (folder / "commondir").write_text(f"{victim / '.git'}\n", encoding="utf-8")
    places = Places((tmp_path / "home").resolve(), ())
    assert locate(folder, places).root == folder.resolve()

    (hostile / ".git").write_text("gitdir: looks-bare\n", encoding="utf-8")
    assert locate(hostile, places).root == hostile.resolve()
    assert locate(folder, places).root in (folder.resolve(), hostile.resolve())


@pytest.mark.parametrize("name", [".git/config", ".git", "apart/commondir", "apart/config"])
def test_a_pipe_where_git_keeps_a_file_is_not_waited_for(tmp_path, name):
    root = tmp_path / "app"
    for folder in ("objects", "refs"):
        (root / ".git" / folder).mkdir(parents=True)
    (root / ".git" / "HEAD").touch()
    if name != ".git/config":
        shutil.rmtree(root / ".git")
        (root / "apart").mkdir()
    if name.startswith("apart"):
        (root / ".git").write_text("gitdir: apart", encoding="utf-8")
    os.mkfifo(root / name)
    found = []

    def look():
        location = locate(root, Places(Path("/home/nobody"), ()))
        found.append((location.root, location.checkout.remotes() if location.checkout is not None else ()))

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    looking.join(10)

    assert found == [(root, ())]


def test_the_nearest_known_root_above_counts_outside_of_git(world):
    known = {world / "work" / "plain"}
    location = locate(world / "work" / "plain" / "deep", places_of(world), known)
    assert location is not None
    assert location.root == world / "work" / "plain"


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("git@github.com:Owner/Repo.git", "github.com/Owner/Repo"),
        ("https://user:secret@GitHub.com/Owner/Repo.git/", "github.com/Owner/Repo"),
        ("https://github.com/Owner/Repo", "github.com/Owner/Repo"),
        ("ssh://git@github.com:2222/Owner/Repo.git", "github.com/Owner/Repo"),
        ("github.com:Owner/Repo", "github.com/Owner/Repo"),
        ("/srv/git/repo.git", ""),
        ("../repo", ""),
        ("file:///srv/git/repo.git", ""),
        ("", ""),
    ],
)
def test_remotes_are_the_same_however_they_are_reached(url, normal):
    assert normalised_remote(url) == normal


class Registry:
    """Registries over one home, each as after a restart; time stands still unless told."""

    def __init__(self, home, places, **options):
        self.home, self.places, self.options = Home(home), places, options
        self.now = 0
        self.problems = Problems()

    def open(self):
        projects = Projects(self.home, OsFiles(), self.places, lambda: self.now, **self.options)
        projects.load(self.problems)
        return projects


@pytest.fixture
def registry(tmp_path, world):
    (tmp_path / "kg" / "state").mkdir(parents=True)
    return Registry(tmp_path / "kg", places_of(world))


def test_worktrees_and_subfolders_share_one_memory_and_submodules_have_their_own(registry, world):
    projects = registry.open()
    of = {cwd: projects.resolve(str(world / cwd)) for cwd, _ in PLACES}
    assert of["work/app"].key == of["work/app-feature/docs"].key == of["work/app/docs/models"].key == "project:app"
    assert of["work/app/lib"].key == of["work/lib-feature/docs"].key == "project:lib"
    assert of["work/store.git"].slug == "store"
    assert of["."] is None


def test_equal_folder_names_get_different_slugs_in_any_script(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    projects = registry.open()
    roots = [
        tmp_path / where / name
        for where in ("x", "y")
        for name in ("app", "App", "部署方案", "维护方案", "🔥", "a b", "a-b", "a/b")
    ]
    slugs = {root: projects.resolve(str(root)).slug for root in roots}
    assert len({slug.casefold() for slug in slugs.values()}) == len(roots)
    again = registry.open()
    assert {root: again.resolve(str(root)).slug for root in roots} == slugs


def test_a_slug_stays_with_its_root_over_restarts_written_or_not(registry, world):
    projects = registry.open()
    key = projects.resolve(str(world / "work/app")).key
    assert registry.open().resolve(str(world / "work/app")).key == key
    projects.save(key)
    text = (registry.home.project("app") / "project.toml").read_text("utf-8")
    assert str(world / "work" / "app") in text
    assert registry.open().resolve(str(world / "work/app")).key == key


def test_nothing_is_ever_created_in_a_repository_or_where_the_agent_stands(registry, world):
    def listing():
        return sorted(str(path) for path in world.rglob("*"))

    before = listing()
    projects = registry.open()
    for cwd, _ in PLACES:
        project = projects.resolve(str(world / cwd))
        if project is not None:
            projects.save(project.key)
    assert listing() == before


def test_a_moved_folder_keeps_its_memory_when_it_is_registered_again(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    old, new = tmp_path / "old" / "app", tmp_path / "new" / "renamed"
    projects = registry.open()
    key = projects.resolve(str(old)).key
    projects.save(key)
    new.mkdir(parents=True)
    other = projects.resolve(str(new))
    projects.save(other.key)
    assert other.key != key
    assert projects.register("app", new).key == key
    for each in (projects, registry.open()):
        assert each.resolve(str(new)).key == key


def test_a_checkout_that_is_moved_keeps_its_memory_by_itself(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    old, new = repository(tmp_path / "old" / "app"), tmp_path / "new" / "renamed"
    projects = registry.open()
    key = projects.resolve(str(old / "docs")).key
    projects.save(key)
    new.parent.mkdir()
    old.rename(new)
    registry.now += 60_000

    found = projects.resolve(str(new / "docs"))
    assert (found.key, found.root) == (key, new)
    again = registry.open()
    assert again.resolve(str(new)) == found
    repository(old)
    registry.now += 60_000
    for each in (projects, again, registry.open()):
        assert each.resolve(str(old)).key != key


def test_a_checkout_that_was_cloned_anew_and_then_moved_keeps_its_memory_too(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    before, after = tmp_path / "shop", tmp_path / "store"
    repository(before)
    projects = registry.open()
    project = projects.resolve(str(before))
    projects.save(project.key)
    before.rename(tmp_path / "old")  # its numbers are not given away again
    repository(before)
    registry.now += 10_000
    assert projects.resolve(str(before)).key == project.key

    before.rename(after)
    registry.now += 10_000

    assert projects.resolve(str(after)).key == project.key


def test_a_former_place_that_cannot_be_looked_at_stops_nobody(registry, tmp_path):
    root = repository(tmp_path / "app")
    hidden = f"/{'x' * 300}"
    registry.places = Places(Path("/home/nobody"), ())
    (tmp_path / "kg" / "state" / "footprints.json").write_text(json.dumps({hidden: footprint(root)}), encoding="utf-8")

    assert registry.open().resolve(str(root)).root == root


def test_a_checkout_that_is_moved_before_its_first_lesson_keeps_its_name(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    old, new = repository(tmp_path / "app"), tmp_path / "shop"
    key = registry.open().resolve(str(old)).key
    old.rename(new)

    assert registry.open().resolve(str(new)).key == key


def test_a_copy_of_a_checkout_and_one_that_took_its_place_are_not_taken_for_a_moved_one(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    old, copy = repository(tmp_path / "app"), tmp_path / "copy"
    projects = registry.open()
    key = projects.resolve(str(old)).key
    shutil.copytree(old, copy)
    assert projects.resolve(str(copy)).key != key

    away = tmp_path / "away"
    old.rename(away)
    repository(old)
    registry.now += 60_000
    assert projects.resolve(str(old)).key == key
    assert projects.resolve(str(away)).key != key


def test_a_new_memory_is_told_of_one_of_its_name_whose_folder_is_gone(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    projects = registry.open()
    projects.save(projects.resolve("/other/machine/app").key)
    here = tmp_path / "code" / "app"
    here.mkdir(parents=True)
    projects = registry.open()
    file, before = registry.home.project("app") / "project.toml", registry.home.reserved.read_bytes()

    told = projects.left_behind(str(here))

    assert "'app'" in told
    assert "/other/machine/app" in told
    assert str(file) in told
    assert registry.home.reserved.read_bytes() == before, "looking promises no name"
    assert projects.resolve(str(here)).slug == "app-2"
    assert projects.left_behind(str(here)) == told, "as long as nothing is written here"
    assert projects.left_behind(str(here.parent)) == "", "another name"
    file.write_text(f"roots = ['{here}']\n", encoding="utf-8")
    projects = registry.open()
    assert projects.left_behind(str(here)) == ""
    assert projects.resolve(str(here)).slug == "app"


def test_where_a_folder_belongs_is_looked_up_once_in_a_while_and_anew_when_the_roots_change(
    registry, tmp_path, monkeypatch
):
    registry.places = Places(Path("/home/nobody"), (tmp_path,))
    looked = []
    monkeypatch.setattr("kg_core.store.projects.locate", lambda cwd, *more: looked.append(cwd) or locate(cwd, *more))
    projects = registry.open()
    here = tmp_path / "code" / "app"
    (here / "src").mkdir(parents=True)

    assert not any(projects.is_code_base(str(here / "src")) for _ in range(9))
    assert projects.left_behind(str(here / "src")) == ""
    assert len(looked) == 1

    projects.adopt("app", [str(here)])
    assert projects.is_code_base(str(here / "src")), "a root that came to be known counts at once"

    registry.now += 1_999
    assert projects.is_code_base(str(here / "src"))
    assert len(looked) == 2
    registry.now += 1
    assert projects.is_code_base(str(here / "src"))
    assert len(looked) == 3


def test_a_project_with_a_memory_of_its_own_is_not_looked_at_for_a_lost_one(registry, tmp_path, monkeypatch):
    registry.places = Places(Path("/home/nobody"), ())
    projects = registry.open()
    here = tmp_path / "app"
    here.mkdir()
    projects.save(projects.resolve(str(here)).key)
    projects.is_code_base(str(here))

    looked, stat = [], Path.stat
    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", lambda path: looked.append(path) or stat(path))
        assert projects.left_behind(str(here)) == ""

    assert looked == []


def test_a_folder_that_cannot_be_looked_at_is_no_lost_one(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    projects = registry.open()
    projects.adopt("app", [f"/{'far' * 100}/app"])
    projects.save("project:app")
    here = tmp_path / "app"
    here.mkdir()
    assert registry.open().left_behind(str(here)) == ""


def test_a_memory_of_ones_own_or_a_folder_that_is_there_is_no_lost_one(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    projects = registry.open()
    first, second = tmp_path / "a" / "app", tmp_path / "b" / "app"
    for folder in (first, second):
        folder.mkdir(parents=True)
    projects.save(projects.resolve(str(first)).key)
    assert projects.left_behind(str(second)) == ""
    first.rmdir()
    assert projects.left_behind(str(second)) != ""
    projects.save(projects.resolve(str(second)).key)
    assert projects.left_behind(str(second)) == ""


def test_a_clone_of_another_name_is_told_of_the_memory_with_its_remote(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    here = tmp_path / "code" / "shop"
    repository(here)
    git("remote", "add", "origin", "git@example.org:team/app.git", cwd=here)
    folder = registry.home.project("app")
    folder.mkdir(parents=True)
    roots = "roots = ['/other/machine/app']\nremotes = ['example.org/team/app']\n"
    (folder / "project.toml").write_text(roots, encoding="utf-8")

    assert "/other/machine/app" in registry.open().left_behind(str(here))

    registry.options["match_remotes"] = True
    assert registry.open().left_behind(str(here)) == "", "then it is found by itself"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"app": 5}', "[" * 100_000, "9" * 5_000], ids=len)
def test_names_that_were_given_away_and_cannot_be_read_stop_nobody(registry, tmp_path, text):
    registry.places = Places(Path("/home/nobody"), ())
    registry.home.reserved.write_text(text, encoding="utf-8")

    assert registry.open().resolve(str(tmp_path / "app")).slug == "app"


def test_folders_with_one_remote_share_a_memory_only_when_the_setting_says_so(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    one, two = repository(tmp_path / "one" / "app"), repository(tmp_path / "two" / "other")
    git("remote", "add", "origin", "https://token@example.org/owner/app.git", cwd=one)
    git("remote", "add", "origin", "git@example.org:owner/app", cwd=two)
    apart = registry.open()
    assert apart.resolve(str(one)).key != apart.resolve(str(two)).key
    apart.save("project:app")
    text = (registry.home.project("app") / "project.toml").read_text("utf-8")
    assert "token" not in text
    registry.home.reserved.unlink()
    registry.options = {"match_remotes": True}
    together = registry.open()
    assert together.resolve(str(two)).key == "project:app"


def test_unknown_keys_of_a_registration_survive(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    folder = registry.home.project("app")
    folder.mkdir(parents=True)
    (folder / "project.toml").write_text(f'colour = "red"\nroots = ["{tmp_path}/a"]\n', encoding="utf-8")
    projects = registry.open()
    projects.register("app", tmp_path / "b")
    text = (folder / "project.toml").read_text("utf-8")
    assert 'colour = "red"' in text
    assert f"{tmp_path}/a" in text
    assert f"{tmp_path}/b" in text


@pytest.mark.parametrize("text", ["roots = [", f"roots = {'[' * 3_000}", f"roots = {'9' * 5_000}"], ids=len)
def test_a_damaged_registration_is_reported_and_its_slug_not_given_away(registry, tmp_path, text):
    registry.places = Places(Path("/home/nobody"), ())
    folder = registry.home.project("app")
    folder.mkdir(parents=True)
    (folder / "project.toml").write_text(text, encoding="utf-8")
    projects = registry.open()
    assert [problem.kind for problem in registry.problems.all()] == ["odd"]
    assert projects.resolve(str(tmp_path / "app")).slug == "app-2"
    assert (folder / "project.toml").read_text("utf-8") == text


def test_a_folder_is_looked_at_again_after_a_while(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    outer = tmp_path / "outer"
    (outer / "inner").mkdir(parents=True)
    projects = registry.open()
    assert projects.resolve(str(outer / "inner")).root == outer / "inner"
    git("init", "-q", cwd=outer)
    assert projects.resolve(str(outer / "inner")).root == outer / "inner"
    registry.now += 10_000
    assert projects.resolve(str(outer / "inner")).root == outer


@pytest.mark.parametrize(
    "cwd", ["", "relative/path", "a\0b", "~", "/" + "x" * 5000, "//host/share/app", "\\\\host\\share"]
)
def test_a_folder_that_is_none_never_fails(registry, cwd):
    registry.open().resolve(cwd)


def test_all_lists_every_project(registry, world):
    projects = registry.open()
    projects.resolve(str(world / "work/app"))
    projects.resolve(str(world / "work/app/lib"))
    assert [(project.slug, project.root) for project in projects.all()] == [
        ("app", world / "work/app"),
        ("lib", world / "work/app/lib"),
    ]


def test_a_memory_from_elsewhere_gets_the_project_of_its_folders_or_name_or_a_name_of_its_own(registry):
    projects = registry.open()

    shop = projects.adopt("shop", ["/srv/shop"], ["example.test/shop"])

    assert projects.adopt("other-name", ["/nowhere", "/srv/shop"]) == shop
    assert projects.adopt("shop", []).slug == "shop"
    assert projects.adopt("Shop", ["/elsewhere/shop"]).slug == "Shop-2"


def test_temporary_folders_that_take_no_file_are_temporary_all_the_same(monkeypatch):
    def full():
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("tempfile.gettempdir", full)

    places = Places.from_environ({"HOME": "/home/nobody", "TMPDIR": "/srv/scratch"})

    assert places.is_temporary(Path("/srv/scratch/app"))
    assert places.is_temporary(Path("/var/tmp/app"))


def test_the_memorys_own_folders_are_no_project_even_as_a_repository(registry, tmp_path):
    registry.places = Places(Path("/home/nobody"), ())
    memory = tmp_path / "kg" / "memory"
    repository(memory)

    projects = registry.open()

    assert projects.resolve(str(memory)) is None
    assert projects.resolve(str(memory / "projects" / "app")) is None
    assert projects.resolve(str(tmp_path / "app")) is not None
