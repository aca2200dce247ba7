"""What a person is shown of a project's map, and what the check finds with git's help."""

from __future__ import annotations

import os
import subprocess
import threading
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kg_core.store.maps import Maps
from kg_plugin_api import Code, KgError
from kg_server import mapping
from kg_server.files.renaming import Renaming
from kg_server.keeping import git

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from kg_core.store import MapState, Project

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

MAP = """\
[[component]]
slug = "auth"
paths = ["src/auth/**"]
depends_on = ["crypto"]

[[component]]
slug = "crypto"
paths = ["src/crypto/**"]

[[constraint]]
component = "auth"
title = "Tokens"
statement = "Never log a token."
source = "docs/tokens.md"

[[constraint]]
title = "Clock"
statement = "Time is an argument."
"""


class Repository:
    """A git repository of a world, with a clock of its own."""

    def __init__(self, root: Path, name: str = "shop") -> None:
        self.folder = root / name
        self.folder.mkdir()
        self._day = 0
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> None:
        self._day += 1
        day = f"2026-05-{self._day:02}T12:00:00Z"
        identity = {f"GIT_{who}_{what}": "a@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1", **identity}
        environ |= {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
        subprocess.run(["git", *arguments], cwd=self.folder, env=environ, check=True, capture_output=True)

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "a step")


def shop(world: Any) -> Repository:
    """A repository with a map, all of which reaches somebody."""
    repository = Repository(world.root)
    for path in ("src/auth/token.py", "src/crypto/random.py", "docs/tokens.md"):
        repository.write(path, f"{path}\n" * 20)
    repository.write(".kg/map.toml", MAP + '[[component]]\nslug = "rest"\npaths = ["docs"]\n')
    repository.commit()
    return repository


async def check(world: Any, repository: Repository) -> dict[str, Any]:
    world.clock.advance(1_000)
    return await world.service.check_map(str(repository.folder))


def kinds(found: dict[str, Any]) -> list[str]:
    return [finding["kind"] for finding in found["findings"]]


def test_a_map_is_shown_whole_for_a_file_and_for_a_component(live: Live) -> None:
    async def scenario(world: Any) -> None:
        folder = str(shop(world).folder)
        whole = await world.service.show_map(folder, "", "")
        assert whole["text"] == (
            "Components:\n"
            "  auth [src/auth/**]\n    must (auth): Tokens: Never log a token.\n      source: docs/tokens.md\n"
            "  crypto [src/crypto/**]\n  rest [docs]\n"
            "Rules that hold everywhere:\n  must: Clock: Time is an argument."
        )
        assert whole["files"] == [f"{folder}/.kg/map.toml"]
        assert len(whole["rules"]) == 2
        file = await world.service.show_map(folder, f"{folder}/src/auth/new.py", "")
        assert [component["slug"] for component in file["components"]] == ["auth", "crypto"]
        assert [rule["title"] for rule in file["rules"]] == ["Tokens", "Clock"]
        assert "They depend on:\n  crypto" in file["text"]
        none = await world.service.show_map(folder, f"{folder}/Makefile", "")
        assert "No component has Makefile." in none["text"]
        component = await world.service.show_map(folder, "", "crypto")
        assert [rule["title"] for rule in component["rules"]] == ["Clock"]

    live(scenario)


def test_what_is_asked_for_and_is_not_there_is_said(live: Live) -> None:
    async def scenario(world: Any) -> None:
        folder = str(shop(world).folder)
        with pytest.raises(KgError, match="There is no component 'oauth'"):
            await world.service.show_map(folder, "", "oauth")
        with pytest.raises(KgError, match="for a file or for a component, not for both"):
            await world.service.show_map(folder, f"{folder}/src/auth/new.py", "crypto")
        with pytest.raises(KgError, match="/etc/passwd is no file of"):
            await world.service.show_map(folder, "/etc/passwd", "")
        with pytest.raises(KgError, match="belongs to no project") as homeless:
            await world.service.show_map("", "", "")
        assert homeless.value.code is Code.INVALID
        empty = world.folder("empty")
        assert "There is no map yet" in (await world.service.show_map(empty, "", ""))["text"]
        with pytest.raises(KgError, match=r"There is no component 'auth'\. There is no map yet"):
            await world.service.show_map(empty, "", "auth")
        found = await world.service.check_map(empty)
        assert (found["ok"], found["findings"]) == (True, [])

    live(scenario)


def test_a_component_that_was_asked_for_as_a_file_is_pointed_at(live: Live) -> None:
    async def scenario(world: Any) -> None:
        folder = shop(world).folder
        hint = "auth is no file but a component: `kg map show --component auth`."
        for cwd in (folder, folder / "src" / "crypto"):
            assert hint in (await world.service.show_map(str(cwd), f"{cwd}/auth", ""))["text"]
        for cwd, path in ((folder / "src", "auth"), (folder, "new/auth"), (folder, "oauth")):
            assert "--component" not in (await world.service.show_map(str(cwd), f"{cwd}/{path}", ""))["text"]

    live(scenario)


def test_a_component_that_a_broken_map_may_have_is_told_with_what_is_wrong_with_it(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = shop(world)
        repository.write(".kg/map.toml", "[[component]\n")
        folder = str(repository.folder)
        with pytest.raises(
            KgError, match=r"No component 'auth' is known\. The map of this project is broken, .*valid TOML"
        ):
            await world.service.show_map(folder, "", "auth")

    live(scenario)


def test_a_map_in_which_nothing_stands_yet_is_not_told_as_none(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = shop(world)
        repository.write(".kg/map.toml", "# Nothing yet.\n")
        folder = str(repository.folder)

        shown = await world.service.show_map(folder, "", "")
        found = await world.service.check_map(folder)

        told = f"The map has no components and no rules yet. Write them into {folder}/.kg/map.toml."
        assert (shown["text"], found["text"], found["ok"]) == (told, told, True)

    live(scenario)


def test_what_was_written_at_this_moment_is_what_is_shown_and_checked(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = Repository(world.root)
        folder = str(repository.folder)
        assert "There is no map yet" in (await world.service.check_map(folder))["text"]

        repository.write("src/auth/token.py", "")
        repository.write(".kg/map.toml", '[[component]]\nslug = "auth"\npaths = ["src"]\n')
        assert (await world.service.check_map(folder))["text"] == "1 component, 0 rules: all of it reaches somebody."

        repository.write(".kg/map.toml", '[[component]]\nslug = "auth"\npaths = ["lib"]\n')
        assert "auth [lib]" in (await world.service.show_map(folder, "", ""))["text"]
        assert not (await world.service.check_map(folder))["ok"]

    live(scenario)


def test_a_map_that_reaches_everybody_is_right(live: Live) -> None:
    async def scenario(world: Any) -> None:
        found = await check(world, shop(world))
        assert found["ok"]
        assert found["text"] == "3 components, 2 rules: all of it reaches somebody."

    live(scenario)


def test_files_that_were_renamed_or_deleted_leave_a_pattern_without_any(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = shop(world)
        repository.git("mv", "src/auth", "src/authn")
        repository.git("rm", "--quiet", "-r", "src/crypto")
        repository.commit()
        found = await check(world, repository)
        assert not found["ok"]
        assert kinds(found) == ["no-file", "no-file", "unmapped"]
        assert "git has renamed what it matched, to src/authn/token.py for one" in found["text"]
        assert (
            "'src/crypto/**' of component crypto matches no file; the files that it matched have been deleted"
            in (found["text"])
        )

    live(scenario)


def test_a_file_that_is_not_yet_committed_counts_and_an_ignored_one_does_not(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = shop(world)
        repository.write(".gitignore", "*.log\n")
        repository.write("src/auth/x.log", "x")
        repository.write("new/y.py", "x")
        found = await check(world, repository)
        assert found["ok"]
        assert "2 of 5 files have no component: new/ (1), the top folder (1)." in found["text"]

    live(scenario)


def test_a_source_that_changed_after_the_map_or_is_gone_is_a_note(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = shop(world)
        repository.write("docs/tokens.md", "Tokens may be logged.\n")
        repository.commit()
        found = await check(world, repository)
        assert found["ok"]
        assert kinds(found) == ["source-changed"]
        assert "docs/tokens.md, the source of the rule 'Tokens', was changed on 2026-05-" in found["text"]
        repository.write(".kg/map.toml", (repository.folder / ".kg" / "map.toml").read_text(encoding="utf-8") + "\n")
        assert kinds(await check(world, repository)) == []
        repository.git("mv", "docs/tokens.md", "docs/secrets.md")
        repository.commit()
        assert kinds(await check(world, repository)) == ["source-gone"]

    live(scenario)


def test_no_program_is_run_that_a_repository_names(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(world: Any) -> None:
        repository = shop(world)
        repository.git("mv", "src/crypto/random.py", "src/crypto/chance.py")
        repository.write("src/crypto/chance.py", "src/crypto/random.py\n" * 21)
        repository.write(".gitattributes", "* filter=named diff=named\n")
        repository.commit()
        program = world.root / "program"
        program.write_text(f"#!/bin/sh\necho $0 $* >> {world.root / 'ran'}\nexit 1\n", encoding="utf-8")
        program.chmod(0o755)
        (world.root / "hooks").mkdir()
        (world.root / "hooks" / "post-index-change").symlink_to(program)
        for name in (
            *("core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "diff.named.command"),
            *("diff.named.textconv", "filter.named.clean", "filter.named.smudge", "filter.named.process"),
            *("gpg.program", "remote.origin.uploadpack"),
        ):
            repository.git("config", name, str(program))
        for name, value in {
            "core.hooksPath": str(world.root / "hooks"),
            "log.showSignature": "true",
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.promisor": "true",
            "remote.origin.url": f"ext::{program} %S",
            "protocol.ext.allow": "always",
        }.items():
            repository.git("config", name, value)
        for path in (*repository.folder.rglob("*.py"), repository.folder / ".kg" / "map.toml"):
            os.utime(path, (1, 1))
        for lost in (repository.folder / ".git" / "objects").glob("??/*"):
            if b"blob" in zlib.decompress(lost.read_bytes())[:4]:
                lost.unlink()

        await check(world, repository)
        renaming = Renaming(lambda: 0)
        renaming.look(str(repository.folder))
        await renaming.settled()

        assert not (world.root / "ran").exists()

    monkeypatch.delitem(git._OFFLINE, "GIT_NO_LAZY_FETCH")  # as with a git that does not know it
    live(scenario)


def test_a_must_that_is_longer_than_a_reply_is_a_problem(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = shop(world)
        long = f'[[constraint]]\ntitle = "Epic"\nstatement = "{"word " * 2000}"\n'
        repository.write(".kg/map.toml", (repository.folder / ".kg" / "map.toml").read_text(encoding="utf-8") + long)
        found = await check(world, repository)
        assert not found["ok"]
        assert "'Epic' is longer than one reply in An agent with hooks" in found["text"]

    live(scenario)


def test_a_broken_map_is_a_problem_and_its_last_right_version_is_checked(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = shop(world)
        await check(world, repository)
        repository.write(".kg/map.toml", "[[wrong]]\n")
        found = await check(world, repository)
        assert not found["ok"]
        assert kinds(found) == ["broken"]
        assert found["problem"]
        assert "there is no key 'wrong'" in found["text"]

    live(scenario)


def test_the_name_of_a_folder_makes_no_second_line_of_a_finding(live: Live) -> None:
    async def scenario(world: Any) -> None:
        repository = Repository(world.root, "shop\nnote: all is well")
        repository.write(".kg/map.toml", "[[wrong]]\n")
        found = await check(world, repository)
        assert kinds(found) == ["broken"]
        assert found["text"].count("\n") == 0

    live(scenario)


def test_without_git_the_files_that_are_there_count(live: Live) -> None:
    async def scenario(world: Any) -> None:
        folder = Path(world.root) / "plain"
        for path in ("src/auth/a.py", "node_modules/x/y.js", ".cache/z"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("x", encoding="utf-8")
        (folder / ".kg").mkdir()
        (folder / ".kg" / "map.toml").write_text(
            '[[component]]\nslug = "auth"\npaths = ["src/auth"]\n', encoding="utf-8"
        )
        found = await world.service.check_map(str(folder))
        assert (found["ok"], found["findings"]) == (True, [])

    live(scenario)


def test_a_preview_shows_what_a_session_would_be_told_of_the_map(live: Live) -> None:
    async def scenario(world: Any) -> None:
        preview = await world.service.preview("hooked", str(shop(world).folder))
        assert "  must: Clock: Time is an argument." in preview.text
        assert "  crypto [src/crypto/**]" in preview.text

    live(scenario)


def test_a_preview_waits_for_a_map_that_no_event_would_wait_for(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    look = Maps.look

    async def slow(maps: Maps, project: Project, cwd: str, patience: float | None = None) -> MapState:
        return await look(maps, project, cwd) if patience is None else maps.known(project, cwd)

    monkeypatch.setattr(Maps, "look", slow)

    async def scenario(world: Any) -> None:
        preview = await world.service.preview("hooked", str(shop(world).folder))
        assert "  must: Clock: Time is an argument." in preview.text

    live(scenario)


def test_nothing_that_takes_the_longer_the_larger_a_map_is_runs_on_the_loop(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    def beside(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            assert threading.current_thread() is not threading.main_thread()
            ran.append(function)
            return function(*arguments)

        return called

    ran: list[object] = []
    functions = (mapping.checked, mapping.dead_globs, mapping.renames_of, mapping.applying, mapping.walked)

    async def scenario(world: Any) -> None:
        repository = Repository(world.root)
        repository.write(".kg/map.toml", MAP)
        repository.git("add", "--all")
        repository.git("commit", "--quiet", "--message=x")
        for function in functions:
            monkeypatch.setattr(mapping, function.__name__, beside(function))
        await world.service.check_map(str(repository.folder))
        await world.service.show_map(str(repository.folder), str(repository.folder / "src" / "auth" / "a.py"), "")
        await world.service.show_map(str(repository.folder), "", "")
        assert set(ran) == set(functions)

    live(scenario)
