"""A project's map as its files change, break and come back."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_core.model import project_key
from kg_core.store import Home, OsFiles, Places, Project
from kg_core.store.disk import Disk
from kg_core.store.maps import Maps

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

AUTH = '[[component]]\nslug = "auth"\npaths = ["src/auth/**"]\n'
RULE = '[[constraint]]\ntitle = "No clock"\nstatement = "Time is an argument."\n'


class Slow:
    """A disk whose reads wait until they are let go, and that may refuse everything."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.refuses = False

    def read(self, path: Path) -> bytes:
        self.gate.wait(10)
        return OsFiles().read(path)

    def __getattr__(self, name: str):
        return getattr(OsFiles(), name)

    def identity(self, path: Path):
        if self.refuses:
            raise PermissionError(13, "Permission denied", str(path))
        return OsFiles().identity(path)


class World:
    """One project with its maps, and a clock that stands still between looks."""

    def __init__(self, root: Path) -> None:
        self.now = 1_000_000
        self.root = root / "work" / "shop"
        (self.root / ".kg").mkdir(parents=True)
        self.home = Home(root / "home")
        self.files = Slow()
        self.disk = Disk(self.home, self.files)
        self.maps = Maps(self.disk, Places(root / "nobody", ()), lambda: self.now)
        self.project = Project(slug="shop", root=self.root, key=project_key("shop"))
        self.theirs = self.root / ".kg" / "map.toml"
        self.own = self.home.project("shop") / "map.toml"
        self.own.parent.mkdir(parents=True)

    def restarted(self) -> Maps:
        """What a server that has just started knows."""
        return Maps(self.disk, Places(self.root.parent.parent / "nobody", ()), lambda: self.now)

    async def look(self, later: int = 1_000, cwd: Path | None = None, patience: float | None = None):
        self.now += later
        return await self.maps.look(self.project, str(cwd or self.root), patience)


@pytest.fixture
def live(tmp_path: Path) -> Callable[[Callable[[World], Coroutine[None, None, None]]], None]:
    def run(scenario: Callable[[World], Coroutine[None, None, None]]) -> None:
        async def main() -> None:
            world = World(tmp_path.resolve())
            try:
                await scenario(world)
            finally:
                world.files.gate.set()
                await world.maps.close()
                await world.disk.close()

        asyncio.run(main())

    return run


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def linked(tree: Path, main: Path) -> None:
    """A work tree of ``main`` beside it, as git makes one."""
    for folder in ("objects", "refs", f"worktrees/{tree.name}"):
        (main / ".git" / folder).mkdir(parents=True, exist_ok=True)
    write(main / ".git" / "HEAD", "ref: refs/heads/main\n")
    write(main / ".git" / "worktrees" / tree.name / "commondir", "../..\n")
    tree.mkdir(parents=True)
    write(tree / ".git", f"gitdir: {main / '.git' / 'worktrees' / tree.name}\n")


def test_without_a_file_there_is_no_rule_and_no_problem(live) -> None:
    async def scenario(world: World) -> None:
        state = await world.look()
        assert state.map.components == ()
        assert state.problem is None
        assert state.tree == str(world.root)

    live(scenario)


def test_the_repositorys_map_and_the_own_one_make_one_map(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH)
        write(world.own, RULE.replace("title", 'component = "auth"\ntitle'))
        state = await world.look()
        assert state.files == (str(world.theirs), str(world.own))
        assert [rule.title for rule in state.map.rules_of["auth"]] == ["No clock"]

    live(scenario)


def test_a_change_is_seen_at_the_next_look_and_looks_are_a_second_apart(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH)
        await world.look()
        write(world.theirs, AUTH + RULE)
        assert (await world.look(999)).map.rules == ()
        assert len((await world.look(1)).map.rules) == 1

    live(scenario)


def test_a_person_is_shown_what_was_written_while_an_event_was_looking(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH)
        world.files.gate.clear()
        await world.look(patience=0.01)
        asking = asyncio.create_task(world.maps.anew(world.project, str(world.root)))
        await asyncio.sleep(0)
        write(world.theirs, AUTH + RULE)
        world.files.gate.set()
        assert len((await asking).map.rules) == 1

        write(world.theirs, AUTH)
        assert (await world.maps.anew(world.project, str(world.root))).map.rules == ()

    live(scenario)


def test_a_broken_map_keeps_its_last_right_version_in_force_and_says_so(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH + RULE)
        await world.look()
        for broken in ("[[component", AUTH + "wrong = 1\n"):
            write(world.theirs, broken)
            state = await world.look()
            assert len(state.map.rules) == 1
            assert state.problem is not None
            assert "its last right version stays in force" in state.problem.sentence
            assert world.maps.problems() == (state.problem,)
        assert f"{world.theirs}, line 1 ([[component]] 1): there is no key 'wrong'" in state.problem.sentence
        write(world.theirs, AUTH)
        state = await world.look()
        assert (state.problem, state.map.rules) == (None, ())
        assert world.maps.problems() == ()

    live(scenario)


def test_a_map_that_was_never_right_is_not_silently_none(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, "[[component")
        state = await world.look()
        assert state.problem is not None
        assert "NO rule is in force" in state.problem.sentence

    live(scenario)


def test_a_map_that_was_mended_is_no_problem_for_long_although_nobody_works_there(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, "[[component")
        await world.look()
        write(world.theirs, AUTH)
        world.now += 1_000
        assert len(world.maps.problems()) == 1
        await world.look(later=0)
        assert world.maps.problems() == ()

    live(scenario)


def test_the_last_right_version_stays_in_force_over_a_restart(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH + RULE)
        await world.look()
        write(world.theirs, AUTH + "wrong = 1\n")
        state = await world.restarted().look(world.project, str(world.root))
        assert len(state.map.rules) == 1
        assert "its last right version stays in force" in state.problem.sentence
        world.theirs.unlink()
        assert (await world.look()).map.rules == ()
        write(world.theirs, "[[component")
        state = await world.restarted().look(world.project, str(world.root))
        assert "NO rule is in force" in state.problem.sentence

    live(scenario)


def test_a_kept_version_that_is_damaged_counts_as_none(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH)
        await world.look()
        write(world.theirs, "[[component")
        (kept,) = world.home.maps.iterdir()
        for damage in ("", "{}", '[["a"]]', '[["a", "[["]]', "[" * 100_000):
            write(kept, damage)
            state = await world.restarted().look(world.project, str(world.root))
            assert state.map.components == ()
            assert state.problem is not None

    live(scenario)


def test_what_is_no_readable_text_is_a_problem_too(live) -> None:
    async def scenario(world: World) -> None:
        world.theirs.write_bytes(b"\xff\xfe\x00")
        assert (await world.look()).problem is not None
        world.theirs.unlink()
        world.theirs.mkdir()
        assert "it is no file" in (await world.look()).problem.sentence
        world.theirs.rmdir()
        world.theirs.symlink_to(world.root / "nowhere")
        assert "it is no file" in (await world.look()).problem.sentence
        world.theirs.unlink()
        write(world.theirs, f"# {'x' * (1 << 20)}\n")
        assert "more than 1048576 bytes" in (await world.look()).problem.sentence
        world.theirs.unlink()
        assert (await world.look()).problem is None

    live(scenario)


def test_a_disk_that_hangs_costs_a_look_its_patience_alone(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH)
        await world.look()
        write(world.theirs, AUTH + RULE)
        world.files.gate.clear()
        assert len((await world.look(patience=0.01)).map.components) == 1
        assert (await world.look(patience=0.01)).map.rules == ()
        world.files.gate.set()
        assert len((await world.look()).map.rules) == 1

    live(scenario)


def test_each_work_tree_has_the_map_of_its_own_branch(live) -> None:
    async def scenario(world: World) -> None:
        tree = world.root / ".worktrees" / "feature"
        linked(tree, world.root)
        write(world.theirs, AUTH)
        (tree / ".kg").mkdir()
        write(tree / ".kg" / "map.toml", AUTH + RULE)
        (tree / "src").mkdir()
        assert (await world.look()).map.rules == ()
        state = await world.look(cwd=tree / "src")
        assert state.tree == str(tree)
        assert len(state.map.rules) == 1

    live(scenario)


def test_a_file_is_named_by_its_place_in_its_work_tree(live) -> None:
    async def scenario(world: World) -> None:
        tree = world.root / ".worktrees" / "feature"
        linked(tree, world.root)
        other = world.root.parent / "other"
        linked(other / "tree", other)
        (world.root.parent / "link").symlink_to(world.root)

        def relative(path: Path | str, cwd: Path = world.root) -> str:
            return world.maps.relative(world.project, str(path), str(cwd))

        assert relative(world.root / "src" / "a.py") == "src/a.py"
        assert relative("a.py", world.root / "src") == "src/a.py"
        assert relative("../b.py", world.root / "src") == "b.py"
        assert relative(tree / "src" / "new.py") == "src/new.py"
        assert relative(world.root.parent / "link" / "src" / "a.py") == "src/a.py"
        assert relative("~/src/a.py") == ""
        assert relative(other / "src" / "a.py") == ""
        assert relative("/etc/passwd") == ""
        assert relative("a\0b") == ""
        assert relative("a.py", Path("/a\0b")) == ""
        assert relative("src/\ud800.py") == ""
        assert relative("a/" * 3_000) == ""
        assert relative("src/a.py", Path("nowhere")) == ""

    live(scenario)


def test_a_folder_without_git_is_its_own_work_tree(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH)
        (world.root / "src").mkdir()
        assert len((await world.look(cwd=world.root / "src")).map.components) == 1
        assert world.maps.relative(world.project, "a.py", str(world.root / "src")) == "src/a.py"

    live(scenario)


@pytest.mark.parametrize("name", [".kg", ".kg/map.toml"])
def test_a_repository_leads_to_no_map_outside_of_it(live, name: str) -> None:
    async def scenario(world: World) -> None:
        outside = world.root.parent / "outside"
        outside.mkdir()
        write(outside / "map.toml", "token_of_another_file = 1\n" + AUTH)
        world.theirs.parent.rmdir()
        link = world.root / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(outside / "map.toml" if link.suffix else outside)

        state = await world.look()

        assert state.problem is not None
        assert "leads out of the work tree" in state.problem.sentence
        assert "token_of_another_file" not in state.problem.sentence

        link.unlink()
        (world.root / "docs").mkdir()
        write(world.root / "docs" / "map.toml", AUTH)
        link.symlink_to("../docs/map.toml" if link.suffix else "docs")
        assert [each.slug for each in (await world.look()).map.components] == ["auth"]

    live(scenario)


def test_a_map_that_may_not_be_looked_at_is_a_problem(live) -> None:
    async def scenario(world: World) -> None:
        write(world.theirs, AUTH)
        world.files.refuses = True
        assert "Permission denied" in (await world.look()).problem.sentence
        world.files.refuses = False
        assert len((await world.look()).map.components) == 1

    live(scenario)
